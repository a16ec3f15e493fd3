/* What does a query that somebody wrote answer, and what is wrong with one that cannot be run? */
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum {
	STEPS_PER_CHECK = 2000,
	LEAST_LENGTH = 16 << 20,
	MOST_LENGTH = 64 << 20, /* one instruction on more takes too long to be stopped */
	LONGEST_PATTERN = 1000,
	COUNTING_EFFORT = 20000000,
	COUNTING_NS = 1000000000,
};

struct sql_query {
	struct sql *sql;
	sqlite3_stmt *stmt;
	struct sql_names reads;
	bool began;
};

bool sql_must_end(struct sql *s)
{
	if (s->deadline_ns != INT64_MAX && clock_now_ns() >= s->deadline_ns)
		s->out_of_time = true;
	if (s->stop && s->stop())
		s->was_stopped = true;
	if (s->is_counting && (s->effort >= s->most_effort || clock_now_ns() >= s->moment_ns))
		s->had_enough = true;
	return s->out_of_time || s->was_stopped || s->had_enough;
}

static int on_progress(void *ctx)
{
	struct sql *s = ctx;

	s->effort += STEPS_PER_CHECK;
	return sql_must_end(s);
}

static int clamp(int n, int least, int most)
{
	return n < least ? least : n > most ? most : n;
}

/* Others read tables by SQL of their own, which is not looked over. */
static const char *harmless_modules[] = {"json_each", "json_tree", NULL};

static int harden(struct sql *s, struct err *e)
{
	int longest = s->file ? library_longest(s->file) : 0;

	sqlite3_limit(s->handle, SQLITE_LIMIT_LENGTH, clamp(longest, LEAST_LENGTH, MOST_LENGTH));
	sqlite3_limit(s->handle, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LONGEST_PATTERN);
	/* "x" is a name, never a text: what is mistyped is an error. */
	sqlite3_db_config(s->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(s->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	if (library_harden(s->handle) != SQLITE_OK || sql_functions_add(s) != SQLITE_OK)
		return err_set(e, ERR_SYSTEM, "preparing for SQL: %s", sqlite3_errmsg(s->handle));
	sqlite3_drop_modules(s->handle, harmless_modules);
	sqlite3_progress_handler(s->handle, STEPS_PER_CHECK, on_progress, s);
	sql_guard(s);
	return 0;
}

static int open_handle(struct sql *s, struct err *e)
{
	if (s->file)
		return library_open(s->file, &s->handle, e);
	if (sqlite3_open_v2(":memory:", &s->handle, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK)
		return 0;
	return err_set(e, ERR_SYSTEM, "preparing for SQL: %s", sqlite3_errmsg(s->handle));
}

int sql_open(struct sql **ret, struct sqlitefile *f, struct err *e)
{
	struct sql *s = mem_zalloc(1, sizeof(*s));

	s->file = f;
	s->deadline_ns = INT64_MAX;
	if (open_handle(s, e) < 0 || harden(s, e) < 0) {
		sql_close(s);
		return -1;
	}
	*ret = s;
	return 0;
}

static void sql_names_free(struct sql_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct sql_names){0};
}

void sql_close(struct sql *s)
{
	if (!s)
		return;
	if (s->file)
		sqlitefile_set_stop(s->file, NULL);
	sqlite3_close_v2(s->handle);
	sql_tables_free(s->tables);
	shadows_free(s->shadows);
	sql_roots_free(s);
	sql_names_free(&s->reads);
	sql_names_free(&s->made_up);
	free(s);
}

void sql_set_timeout(struct sql *s, double seconds)
{
	s->timeout_s = seconds;
	s->deadline_ns = seconds > 0 ? clock_now_ns() + (int64_t)(seconds * 1e9) : INT64_MAX;
}

void sql_set_stop(struct sql *s, bool (*stop)(void))
{
	s->stop = stop;
	if (s->file)
		sqlitefile_set_stop(s->file, stop);
}

/* Whatever follows a statement, if it is more than comments and semicolons. */
static int find_more(struct sql *s, struct str text, const char *tail, struct sql_problem *p)
{
	const char *end = text.s + text.len;

	while (tail && tail < end) {
		const char *next = end;
		sqlite3_stmt *more = NULL;
		int rc = sqlite3_prepare_v2(s->handle, tail, (int)(end - tail) + 1, &more, &next);

		sqlite3_finalize(more);
		if (sql_must_end(s) || (rc != SQLITE_OK && sql_is_refused(s, rc, &p->refused)))
			return sql_problem_describe(s, text, 0, p);
		if (rc != SQLITE_OK || more) {
			*p = (struct sql_problem){.fault = SQL_MORE};
			while (tail < end && strchr(" \t\r\n;", *tail))
				tail++;
			sql_problem_place(p, text, (size_t)(tail - text.s));
			return -1;
		}
		tail = next;
	}
	return 0;
}

/* Transactions and the like pass for reading, and VACUUM asks nobody. */
static int check_reads(struct sql *s, struct sql_problem *p, sqlite3_stmt *stmt)
{
	if (!s->denied[0] && sqlite3_stmt_readonly(stmt) && sqlite3_column_count(stmt) > 0)
		return 0;
	*p = (struct sql_problem){.fault = SQL_WRITES};
	snprintf(p->what, sizeof(p->what), "%s",
		 s->denied[0] ? s->denied : "a statement that is not a query");
	return -1;
}

static int prepare_first(struct sql *s, struct str text, sqlite3_stmt **ret, const char **ret_tail,
			 struct sql_problem *p)
{
	const char *at = text.s, *end = text.s + text.len;

	*ret = NULL;
	while (!*ret && at < end) {
		const char *begin = at;

		if (sqlite3_prepare_v2(s->handle, at, (int)(end - at) + 1, ret, &at) != SQLITE_OK ||
		    sql_must_end(s))
			return sql_problem_describe(s, text, (size_t)(begin - text.s), p);
	}
	*ret_tail = at ? at : end;
	if (*ret)
		return 0;
	*p = (struct sql_problem){.fault = SQL_EMPTY};
	return -1;
}

static void forget_reads(struct sql *s)
{
	sql_names_free(&s->reads);
	s->denied[0] = '\0';
	s->met_hidden = false;
	s->failed = (struct err){0};
}

/* The text has a NUL after it: else SQLite would copy all that is left of it, again and again. */
static int prepare_text(struct sql *s, struct str text, struct sql_query **ret,
			struct sql_problem *p)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail = NULL;
	struct sql_query *q;

	if (prepare_first(s, text, &stmt, &tail, p) < 0) {
		sqlite3_finalize(stmt);
		return -1;
	}
	q = mem_zalloc(1, sizeof(*q));
	*q = (struct sql_query){.sql = s, .stmt = stmt, .reads = s->reads};
	s->reads = (struct sql_names){0};
	if (check_reads(s, p, stmt) < 0 || find_more(s, text, tail, p) < 0 ||
	    sql_check_hidden(s, stmt, p) < 0) {
		sql_free(q);
		return -1;
	}
	*ret = q;
	return 0;
}

int sql_prepare(struct sql *s, struct str text, struct sql_query **ret, struct sql_problem *p)
{
	const char *zero = text.len ? memchr(text.s, '\0', text.len) : NULL;
	SCOPED_BUF copy = {0};
	int result;

	forget_reads(s);
	if (zero || text.len > 1000000) {
		*p = (struct sql_problem){.fault = SQL_BAD};
		snprintf(p->what, sizeof(p->what), "%s",
			 zero ? "it contains a NUL byte" : "it is longer than a million bytes");
		if (zero)
			sql_problem_place(p, text, (size_t)(zero - text.s));
		return -1;
	}
	buf_addstr(&copy, text);
	buf_adds(&copy, "");
	s->preparing = true;
	library_limit_heap(SQL_PREPARING_BYTES);
	result = prepare_text(s, buf_str(&copy), ret, p);
	library_limit_heap(0);
	s->preparing = false;
	return result;
}

static const char *after_comment(const char *at)
{
	const char *end = NULL;

	if (strncmp(at, "--", 2) == 0)
		return strchr(at, '\n');
	if (strncmp(at, "/*", 2) == 0)
		end = strstr(at + 2, "*/");
	return end ? end + 2 : NULL;
}

const char *sql_statement(sqlite3_stmt *stmt)
{
	static const char between[] = " \t\r\n\f;";
	const char *at = sqlite3_sql(stmt), *next;

	at += strspn(at, between);
	while ((next = after_comment(at)))
		at = next + strspn(next, between);
	return at;
}

int sql_prepare_plan(struct sql *s, struct str text, struct sql_query **ret, struct sql_problem *p)
{
	SCOPED_BUF explained = {0};
	struct sql_query *q;

	if (sql_prepare(s, text, &q, p) < 0)
		return -1;
	/* What is wrong with it has been said in terms of the text as it was written. */
	if (!sqlite3_stmt_isexplain(q->stmt))
		buf_adds(&explained, "EXPLAIN QUERY PLAN ");
	buf_adds(&explained, sql_statement(q->stmt));
	sql_free(q);
	return sql_prepare(s, buf_str(&explained), ret, p);
}

void sql_free(struct sql_query *q)
{
	if (!q)
		return;
	sqlite3_finalize(q->stmt);
	sql_names_free(&q->reads);
	free(q);
}

bool sql_reads(const struct sql_query *q, const char *table)
{
	for (size_t i = 0; i < q->reads.count; i++) {
		if (strcasecmp(q->reads.items[i], table) == 0)
			return true;
	}
	return false;
}

bool sql_met_hidden(const struct sql_query *q)
{
	return q->sql->met_hidden;
}

size_t sql_parameter_count(const struct sql_query *q)
{
	return (size_t)sqlite3_bind_parameter_count(q->stmt);
}

const char *sql_parameter_name(const struct sql_query *q, size_t i)
{
	const char *name = sqlite3_bind_parameter_name(q->stmt, (int)i + 1);

	return name && name[0] != '?' ? name + 1 : NULL;
}

static int bind(sqlite3_stmt *stmt, int n, const struct sql_value *v)
{
	switch (v->type) {
	case SQLITE_IS_INT:
		return sqlite3_bind_int64(stmt, n, v->i);
	case SQLITE_IS_REAL:
		return sqlite3_bind_double(stmt, n, v->r);
	case SQLITE_IS_TEXT:
		return sqlite3_bind_text64(stmt, n, v->s.s, v->s.len, SQLITE_TRANSIENT,
					   SQLITE_UTF8);
	case SQLITE_IS_BLOB:
		return sqlite3_bind_blob64(stmt, n, v->s.s, v->s.len, SQLITE_TRANSIENT);
	case SQLITE_IS_NULL:
		break;
	}
	return sqlite3_bind_null(stmt, n);
}

int sql_bind(struct sql_query *q, size_t i, const struct sql_value *v, struct err *e)
{
	int rc = bind(q->stmt, (int)i + 1, v);

	return rc == SQLITE_OK ? 0 : sql_fail(q->sql, rc, e);
}

size_t sql_column_count(const struct sql_query *q)
{
	return (size_t)sqlite3_column_count(q->stmt);
}

const char *sql_column_name(const struct sql_query *q, size_t i)
{
	const char *name = sqlite3_column_name(q->stmt, (int)i);

	return name ? name : "?";
}

int sql_step(struct sql_query *q, struct err *e)
{
	struct sql *s = q->sql;
	int rc;

	if (!q->began) {
		q->began = true;
		s->effort = 0;
		s->failed = (struct err){0};
	}
	rc = sqlite3_step(q->stmt);
	/* One function may have taken all the time there was, and then some. */
	if ((rc == SQLITE_ROW || rc == SQLITE_DONE) && sql_must_end(s))
		return sql_fail(s, SQLITE_INTERRUPT, e);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	return sql_fail(s, rc, e);
}

static struct str bytes_of(sqlite3_stmt *stmt, int i, const void *bytes)
{
	return (struct str){bytes ? bytes : "", (size_t)sqlite3_column_bytes(stmt, i)};
}

struct sql_value sql_column(struct sql_query *q, size_t column)
{
	int i = (int)column;
	struct sql_value v = {.type = SQLITE_IS_NULL};

	switch (sqlite3_column_type(q->stmt, i)) {
	case SQLITE_INTEGER:
		v.type = SQLITE_IS_INT;
		v.i = sqlite3_column_int64(q->stmt, i);
		break;
	case SQLITE_FLOAT:
		v.type = SQLITE_IS_REAL;
		v.r = sqlite3_column_double(q->stmt, i);
		break;
	case SQLITE_TEXT:
		v.type = SQLITE_IS_TEXT;
		v.s = bytes_of(q->stmt, i, sqlite3_column_text(q->stmt, i));
		break;
	case SQLITE_BLOB:
		v.type = SQLITE_IS_BLOB;
		v.s = bytes_of(q->stmt, i, sqlite3_column_blob(q->stmt, i));
		break;
	default:
		break;
	}
	return v;
}

/* By effort as a rule: then the same query always gets as far. Some instructions take long. */
int sql_count_rest(struct sql_query *q, uint64_t *rows, struct err *e)
{
	struct sql *s = q->sql;
	int more;

	s->is_counting = true;
	s->most_effort = s->effort + COUNTING_EFFORT;
	s->moment_ns = clock_now_ns() + COUNTING_NS;
	while ((more = sql_step(q, e)) > 0)
		++*rows;
	more = more < 0 && s->had_enough ? 1 : more;
	s->is_counting = s->had_enough = false;
	return more;
}
