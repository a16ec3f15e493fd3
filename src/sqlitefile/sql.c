/* What does a query that somebody wrote answer, and what is wrong with one that cannot be run? */
#include "sqlitefile/sql.h"

#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

enum {
	STEPS_PER_CHECK = 2000,
	LEAST_LENGTH = 16 << 20,
	MOST_LENGTH = 64 << 20, /* one instruction on more takes too long to be stopped */
	LONGEST_PATTERN = 1000,
};

struct sql_query {
	struct sql *sql;
	sqlite3_stmt *stmt;
	struct sql_names reads;
	bool began;
};

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool must_end(struct sql *s)
{
	if (s->deadline_ns != INT64_MAX && now_ns() >= s->deadline_ns)
		s->out_of_time = true;
	return s->out_of_time || (s->stop && s->stop());
}

static int on_progress(void *ctx)
{
	struct sql *s = ctx;

	s->effort += STEPS_PER_CHECK;
	return must_end(s);
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

void sql_names_free(struct sql_names *names)
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
		s->file->stop = NULL;
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
}

void sql_set_stop(struct sql *s, bool (*stop)(void))
{
	s->stop = stop;
	if (s->file)
		s->file->stop = stop;
}

static void set_place(struct sql_problem *p, struct str text, size_t offset)
{
	p->has_place = true;
	p->line = p->column = 1;
	for (size_t i = 0; i < offset && i < text.len; i++) {
		if (text.s[i] == '\n') {
			p->line++;
			p->column = 1;
		} else if (((unsigned char)text.s[i] & 0xc0) != 0x80) {
			p->column++; /* of a character its first byte */
		}
	}
}

/* The name that SQLite complains of, "main." before it left out. */
static bool take_name(struct sql_problem *p, const char *message, const char *head)
{
	size_t len = strlen(head);

	if (strncmp(message, head, len) != 0)
		return false;
	message += len;
	if (strncasecmp(message, "main.", 5) == 0)
		message += 5;
	snprintf(p->name, sizeof(p->name), "%.190s", message);
	return true;
}

/* What follows a column's name where it is one of USING. */
static const char not_in_both[] = " - column not present in both tables";

static bool is_about_file(int rc)
{
	return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB || rc == SQLITE_IOERR ||
	       rc == SQLITE_CANTOPEN || rc == SQLITE_NOMEM;
}

static int describe(struct sql *s, struct str text, size_t base, struct sql_problem *p)
{
	const char *message = sqlite3_errmsg(s->handle);
	int offset = sqlite3_error_offset(s->handle);

	*p = (struct sql_problem){.fault = SQL_BAD};
	if (s->failed.code) {
		p->fault = SQL_REFUSED;
		p->refused = s->failed;
		return -1;
	}
	if (s->file && is_about_file(sqlite3_errcode(s->handle) & 0xff)) {
		p->fault = SQL_REFUSED;
		return err_set(&p->refused, ERR_INPUT, "'%s': %s", s->file->path, message);
	}
	snprintf(p->what, sizeof(p->what), "%.190s", message);
	if (s->denied[0]) {
		p->fault = SQL_WRITES;
		memcpy(p->what, s->denied, sizeof(p->what));
	} else if (take_name(p, message, "no such table: ")) {
		p->fault = SQL_NO_TABLE;
	} else if (take_name(p, message, "no such column: ")) {
		p->fault = SQL_NO_COLUMN;
	} else if (take_name(p, message, "cannot join using column ")) {
		p->fault = SQL_NO_COLUMN;
		if (strstr(p->name, not_in_both))
			*strstr(p->name, not_in_both) = '\0';
	}
	if (offset >= 0)
		set_place(p, text, (size_t)offset + base);
	return -1;
}

/* Whatever follows a statement, if it is more than comments and semicolons. */
static int find_more(struct sql *s, struct str text, const char *tail, struct sql_problem *p)
{
	const char *end = text.s + text.len;

	while (tail && tail < end) {
		const char *next = end;
		sqlite3_stmt *more = NULL;
		int rc = sqlite3_prepare_v2(s->handle, tail, (int)(end - tail), &more, &next);

		sqlite3_finalize(more);
		if (rc != SQLITE_OK || more) {
			*p = (struct sql_problem){.fault = SQL_MORE};
			while (tail < end && strchr(" \t\r\n;", *tail))
				tail++;
			set_place(p, text, (size_t)(tail - text.s));
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
		 s->denied[0] ? s->denied : "a statement that is no query");
	return -1;
}

static int prepare_first(struct sql *s, struct str text, sqlite3_stmt **ret, const char **ret_tail,
			 struct sql_problem *p)
{
	const char *at = text.s, *end = text.s + text.len;

	*ret = NULL;
	while (!*ret && at < end) {
		const char *begin = at;

		if (sqlite3_prepare_v2(s->handle, at, (int)(end - at), ret, &at) != SQLITE_OK)
			return describe(s, text, (size_t)(begin - text.s), p);
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
	s->deadline_ns = INT64_MAX;
	s->out_of_time = false;
	s->failed = (struct err){0};
}

int sql_prepare(struct sql *s, struct str text, struct sql_query **ret, struct sql_problem *p)
{
	sqlite3_stmt *stmt = NULL;
	const char *tail = NULL;
	struct sql_query *q;
	const char *zero = text.len ? memchr(text.s, '\0', text.len) : NULL;

	forget_reads(s);
	if (zero || text.len > 1000000) {
		*p = (struct sql_problem){.fault = SQL_BAD};
		snprintf(p->what, sizeof(p->what), "%s",
			 zero ? "there is a NUL byte in it" : "it is longer than a million bytes");
		if (zero)
			set_place(p, text, (size_t)(zero - text.s));
		return -1;
	}
	if (prepare_first(s, text, &stmt, &tail, p) < 0)
		return -1;
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

int sql_prepare_plan(struct sql *s, struct str text, struct sql_query **ret, struct sql_problem *p)
{
	struct buf explained = {0};
	struct sql_query *q;
	int result;

	if (sql_prepare(s, text, &q, p) < 0)
		return -1;
	/* What is wrong with it has been said in terms of the text as it was written. */
	if (!sqlite3_stmt_isexplain(q->stmt))
		buf_adds(&explained, "EXPLAIN QUERY PLAN ");
	buf_adds(&explained, sqlite3_sql(q->stmt));
	sql_free(q);
	result = sql_prepare(s, buf_str(&explained), ret, p);
	buf_free(&explained);
	return result;
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

void sql_bind(struct sql_query *q, size_t i, const struct sql_value *v)
{
	int n = (int)i + 1;

	switch (v->type) {
	case SQLITE_IS_NULL:
		sqlite3_bind_null(q->stmt, n);
		break;
	case SQLITE_IS_INT:
		sqlite3_bind_int64(q->stmt, n, v->i);
		break;
	case SQLITE_IS_REAL:
		sqlite3_bind_double(q->stmt, n, v->r);
		break;
	case SQLITE_IS_TEXT:
		sqlite3_bind_text(q->stmt, n, v->s.s, (int)v->s.len, SQLITE_TRANSIENT);
		break;
	case SQLITE_IS_BLOB:
		sqlite3_bind_blob(q->stmt, n, v->s.s, (int)v->s.len, SQLITE_TRANSIENT);
		break;
	}
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

static int fail(const struct sql_query *q, int rc, struct err *e)
{
	const struct sql *s = q->sql;

	if (s->out_of_time) {
		err_set(e, ERR_SYSTEM, "the query was stopped after %g s", s->timeout_s);
		return err_hint(e, "--timeout SECONDS gives it more, --explain shows what it does");
	}
	if (s->denied[0])
		return err_set(e, ERR_USAGE, "the query: queries only read, and %s is refused",
			       s->denied);
	switch (rc & 0xff) {
	case SQLITE_INTERRUPT:
		return err_set(e, ERR_SYSTEM, "the query was stopped");
	case SQLITE_NOMEM:
		err_set(e, ERR_SYSTEM, "the query needs more than 1 GB of memory");
		return err_hint(e, "sort or group fewer rows or columns, or put a LIMIT on it");
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return err_set(e, ERR_INPUT, "'%s': %s", s->file ? s->file->path : "",
			       sqlite3_errmsg(s->handle));
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
		return err_set(e, ERR_SYSTEM, "the query: %s", sqlite3_errmsg(s->handle));
	default:
		return err_set(e, ERR_USAGE, "the query: %s", sqlite3_errmsg(s->handle));
	}
}

int sql_step(struct sql_query *q, struct err *e)
{
	struct sql *s = q->sql;
	int rc;

	if (!q->began) {
		q->began = true;
		s->effort = 0;
		s->failed = (struct err){0};
		if (s->timeout_s > 0)
			s->deadline_ns = now_ns() + (int64_t)(s->timeout_s * 1e9);
	}
	rc = sqlite3_step(q->stmt);
	/* One function may have taken all the time there was, and then some. */
	if ((rc == SQLITE_ROW || rc == SQLITE_DONE) && must_end(s))
		return fail(q, SQLITE_INTERRUPT, e);
	if (rc == SQLITE_ROW)
		return 1;
	if (rc == SQLITE_DONE)
		return 0;
	if (s->failed.code) {
		*e = s->failed;
		return -1;
	}
	return fail(q, rc, e);
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

uint64_t sql_effort(const struct sql_query *q)
{
	return q->sql->effort;
}
