/* May a statement that somebody wrote be run? */
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdio.h>
#include <strings.h>

/* What a statement wants to do, in words; what is not here is refused all the same. */
static const char *const words_of_action[] = {
	[SQLITE_CREATE_INDEX] = "CREATE INDEX",
	[SQLITE_CREATE_TABLE] = "CREATE TABLE",
	[SQLITE_CREATE_TEMP_INDEX] = "CREATE TEMP INDEX",
	[SQLITE_CREATE_TEMP_TABLE] = "CREATE TEMP TABLE",
	[SQLITE_CREATE_TEMP_TRIGGER] = "CREATE TEMP TRIGGER",
	[SQLITE_CREATE_TEMP_VIEW] = "CREATE TEMP VIEW",
	[SQLITE_CREATE_TRIGGER] = "CREATE TRIGGER",
	[SQLITE_CREATE_VIEW] = "CREATE VIEW",
	[SQLITE_CREATE_VTABLE] = "CREATE VIRTUAL TABLE",
	[SQLITE_DELETE] = "DELETE",
	[SQLITE_DROP_INDEX] = "DROP INDEX",
	[SQLITE_DROP_TABLE] = "DROP TABLE",
	[SQLITE_DROP_TRIGGER] = "DROP TRIGGER",
	[SQLITE_DROP_VIEW] = "DROP VIEW",
	[SQLITE_DROP_VTABLE] = "DROP TABLE",
	[SQLITE_INSERT] = "INSERT",
	[SQLITE_PRAGMA] = "PRAGMA",
	[SQLITE_TRANSACTION] = "a transaction",
	[SQLITE_SAVEPOINT] = "a savepoint",
	[SQLITE_UPDATE] = "UPDATE",
	[SQLITE_ATTACH] = "ATTACH",
	[SQLITE_DETACH] = "DETACH",
	[SQLITE_ALTER_TABLE] = "ALTER TABLE",
	[SQLITE_REINDEX] = "REINDEX",
	[SQLITE_ANALYZE] = "ANALYZE",
	[SQLITE_FUNCTION] = "the function",
};

/* These only tell what there is, whatever their argument. */
static const char harmless_pragmas[] =
	"table_info table_xinfo table_list index_list index_info index_xinfo foreign_key_list";

/* These reach beyond the file, or hand out what is not SQL's. */
static const char harmful_functions[] = "load_extension fts3_tokenizer readfile writefile edit";

/* SQLite's own tables of tables. */
static const char schemas[] = "sqlite_master sqlite_temp_master sqlite_schema sqlite_temp_schema";

static void note_read(struct sql_names *names, const char *table)
{
	if (!table || !table[0])
		return;
	for (size_t i = 0; i < names->count; i++) {
		if (strcasecmp(names->items[i], table) == 0)
			return;
	}
	MEM_GROW(names->items, names->cap, names->count + 1);
	names->items[names->count++] = mem_strdup(table);
}

static const char *words_for(int action)
{
	const char *words = NULL;

	if (action >= 0 && (size_t)action < ARRAY_LEN(words_of_action))
		words = words_of_action[action];
	return words ? words : "what this statement does";
}

/* CREATE and its like first ask to change SQLite's own table of tables. */
static int deny(struct sql *s, int action, const char *what)
{
	const char *words = words_for(action);

	if (str_is_listed_any_case(str_of(what), schemas)) {
		words = "a change of the tables";
		what = NULL;
	}
	if (!s->denied[0])
		snprintf(s->denied, sizeof(s->denied), "%s%s%.150s", words, what ? " " : "",
			 what ? what : "");
	return SQLITE_DENY;
}

static int decide(void *ctx, int action, const char *first, const char *second, const char *schema,
		  const char *trigger)
{
	struct sql *s = ctx;

	(void)schema;
	(void)trigger;
	/* While a statement is prepared nobody else is asked, and that may take long. */
	if (sql_must_end(s))
		return SQLITE_DENY;
	switch (action) {
	case SQLITE_READ:
		note_read(&s->reads, first);
		return SQLITE_OK;
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_UPDATE:
		/*
		 * So SQLite makes a table known that is not in the file: one of ours, json_each, …
		 * A statement that does it to the file is told by not being read-only.
		 */
		return str_is_listed_any_case(str_of(first), schemas) ? SQLITE_OK
								      : deny(s, action, first);
	case SQLITE_FUNCTION:
		return str_is_listed_any_case(str_of(second), harmful_functions)
			       ? deny(s, action, second)
			       : SQLITE_OK;
	case SQLITE_PRAGMA:
		return str_is_listed_any_case(str_of(first), harmless_pragmas)
			       ? SQLITE_OK
			       : deny(s, action, first);
	default:
		return deny(s, action, first);
	}
}

void sql_unguard(struct sql *s)
{
	sqlite3_set_authorizer(s->handle, NULL, NULL);
	sqlite3_exec(s->handle, "PRAGMA query_only = 0", NULL, NULL, NULL);
}

void sql_guard(struct sql *s)
{
	sqlite3_exec(s->handle, "PRAGMA query_only = 1", NULL, NULL, NULL);
	sqlite3_set_authorizer(s->handle, decide, s);
}
