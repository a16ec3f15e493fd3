/* Why did SQLite give up: what is wrong, with the text, the file or the system? */
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdio.h>
#include <strings.h>

void sql_problem_place(struct sql_problem *p, struct str text, size_t offset)
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

/* What SQLite says of the text itself. */
static void describe_text(const struct sql *s, struct sql_problem *p)
{
	const char *message = sqlite3_errmsg(s->handle);

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
}

int sql_problem_describe(struct sql *s, struct str text, size_t base, struct sql_problem *p)
{
	const int rc = sqlite3_extended_errcode(s->handle);
	const int offset = sqlite3_error_offset(s->handle);

	*p = (struct sql_problem){.fault = SQL_BAD};
	if (sql_is_refused(s, rc, &p->refused)) {
		p->fault = SQL_REFUSED;
		return -1;
	}
	describe_text(s, p);
	if (offset >= 0)
		sql_problem_place(p, text, (size_t)offset + base);
	return -1;
}

static void say_no_memory(const struct sql *s, struct err *e)
{
	if (s->preparing) {
		err_set(e, ERR_SYSTEM,
			"the query is too complex: preparing it takes more than %d MB of memory",
			SQL_PREPARING_BYTES >> 20);
		err_hint(e, "each use of a WITH table or a view is expanded in full: use them less "
			    "often");
	} else {
		err_set(e, ERR_SYSTEM, "the query needs more than 1 GB of memory");
		err_hint(e, "sort or group fewer rows or columns, or add a LIMIT");
	}
}

int sql_say_late(double seconds, struct err *e)
{
	err_set(e, ERR_SYSTEM, "the query was stopped after %g s", seconds);
	e->late = true;
	return err_hint(e, "increase --timeout SECONDS, or use --explain to see its plan");
}

bool sql_is_refused(const struct sql *s, int rc, struct err *e)
{
	const char *message = sqlite3_errmsg(s->handle);

	if (s->failed.code) {
		*e = s->failed;
		return true;
	}
	if (s->out_of_time) {
		sql_say_late(s->timeout_s, e);
		return true;
	}
	if (s->was_stopped) {
		err_set(e, ERR_SYSTEM, "the query was stopped");
		return true;
	}
	switch (rc & 0xff) {
	case SQLITE_NOMEM:
		say_no_memory(s, e);
		return true;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		err_set(e, ERR_INPUT, "'%s': %s", s->file ? s->file->path : "", message);
		return true;
	case SQLITE_IOERR:
	case SQLITE_FULL:
	case SQLITE_CANTOPEN:
	case SQLITE_INTERRUPT:
		err_set(e, ERR_SYSTEM, "the query: %s", message);
		return true;
	default:
		return false;
	}
}

int sql_fail(const struct sql *s, int rc, struct err *e)
{
	if (sql_is_refused(s, rc, e))
		return -1;
	if (s->denied[0])
		return err_set(e, ERR_USAGE, "the query: queries are read-only, and %s is refused",
			       s->denied);
	if ((rc & 0xff) != SQLITE_TOOBIG)
		return err_set(e, ERR_USAGE, "the query: %s", sqlite3_errmsg(s->handle));
	err_set(e, ERR_USAGE, "the query: a text or blob is too big: more than %d MB",
		sqlite3_limit(s->handle, SQLITE_LIMIT_LENGTH, -1) >> 20);
	return err_hint(e, "use substr(), or do not concatenate rows into one text");
}

/* Whether the statement was run; %s in it are names, in quotes. */
static bool change(struct sql *s, char *statement)
{
	int rc;

	sql_unguard(s);
	rc = statement ? sqlite3_exec(s->handle, statement, NULL, NULL, NULL) : SQLITE_NOMEM;
	sql_guard(s);
	sqlite3_free(statement);
	return rc == SQLITE_OK;
}

static bool make_table(struct sql *s, const char *name)
{
	if (!change(s, sqlite3_mprintf("CREATE TABLE \"%w\"(made_up)", name)))
		return false;
	MEM_GROW(s->made_up.items, s->made_up.cap, s->made_up.count + 1);
	s->made_up.items[s->made_up.count++] = mem_strdup(name);
	return true;
}

/* In the first that does not have it: when that was not the one, it is called for again. */
static bool make_column(struct sql *s, const char *name)
{
	const char *dot = strrchr(name, '.');

	for (size_t i = 0; i < s->made_up.count; i++) {
		if (change(s, sqlite3_mprintf("ALTER TABLE \"%w\" ADD COLUMN \"%w\"",
					      s->made_up.items[i], dot ? dot + 1 : name)))
			return true;
	}
	return false;
}

bool sql_make_up(struct sql *s, const struct sql_problem *p)
{
	if (s->file)
		return false;
	if (p->fault == SQL_NO_TABLE)
		return make_table(s, p->name);
	return p->fault == SQL_NO_COLUMN && make_column(s, p->name);
}
