/* What else is wrong with a statement whose tables are not there? */
#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

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
