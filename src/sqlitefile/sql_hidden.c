/* What keeps a query from values that nobody is to see? */
#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/sql_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/*
 * SQLite's authorizer is not asked about the columns of USING and NATURAL. So a table with such
 * values is replaced by one that does not have them, and a statement whose program opens the
 * b-tree of the table itself, or of an index of it, is not run. Reading the program (EXPLAIN)
 * instead of the text is what makes that hold for "main.T", views, indexes and whatever else can
 * name a table; it costs 40 lines and one more sqlite3_prepare() for each query.
 */

enum { MOST_VIEWS = 1000 };

/* What ANALYZE left behind holds values of columns that have an index. */
static const char root_query[] = "SELECT rootpage, tbl_name FROM main.sqlite_master "
				 "WHERE rootpage > 0 AND (tbl_name = ?1 COLLATE NOCASE "
				 "OR tbl_name IN ('sqlite_stat3', 'sqlite_stat4'))";

static int add_roots(struct sql *s, const char *table, struct err *e)
{
	SCOPED_STMT *stmt = NULL;
	int rc = sqlite3_prepare_v2(s->handle, root_query, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	while (rc == SQLITE_OK && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(stmt, 1);

		MEM_GROW(s->roots, s->root_cap, s->root_count + 1);
		s->roots[s->root_count++] = (struct sql_root){sqlite3_column_int64(stmt, 0),
							      mem_strdup(name ? name : table)};
		rc = SQLITE_OK;
	}
	if (rc == SQLITE_DONE)
		return 0;
	return err_set(e, ERR_INPUT, "'%s': %s", s->file->path, sqlite3_errmsg(s->handle));
}

void sql_roots_free(struct sql *s)
{
	for (size_t i = 0; i < s->root_count; i++)
		free(s->roots[i].table);
	free(s->roots);
}

static int hide_one(struct sql *s, const struct sql_hidden *rule, struct err *e)
{
	const struct sql_table *shown;

	if (!shadow_is_needed(s, rule))
		return 0;
	if (add_roots(s, rule->table, e) < 0)
		return -1;
	shown = shadow_new(s, rule);
	return shown ? sql_replace_table(s, shown, e) : 0;
}

static const char view_query[] = "SELECT sql FROM main.sqlite_master WHERE type = 'view' LIMIT ?1";

/* The statements of the file's views, for the caller to free. */
static size_t read_views(struct sql *s, char **views)
{
	SCOPED_STMT *stmt = NULL;
	size_t count = 0;

	if (sqlite3_prepare_v2(s->handle, view_query, -1, &stmt, NULL) == SQLITE_OK)
		sqlite3_bind_int(stmt, 1, MOST_VIEWS);
	while (stmt && count < MOST_VIEWS && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *sql = (const char *)sqlite3_column_text(stmt, 0);

		views[count++] = mem_strdup(sql ? sql : "");
	}
	return count;
}

/*
 * In the file's schema a view means the file's tables, in the temporary one those that stand for
 * them. One that cannot be made there stays as it was, and is refused when it reads past them.
 */
static void copy_views(struct sql *s)
{
	static const char head[] = "CREATE VIEW ";
	SCOPED char **views = mem_alloc(MOST_VIEWS, sizeof(*views));
	size_t count = read_views(s, views);
	SCOPED_BUF sql = {0};

	for (size_t i = 0; i < count; i++) {
		SCOPED_STMT *stmt = NULL;

		buf_clear(&sql);
		buf_adds(&sql, "CREATE TEMP VIEW ");
		if (strncasecmp(views[i], head, strlen(head)) == 0) {
			buf_adds(&sql, views[i] + strlen(head));
			sqlite3_prepare_v2(s->handle, sql.s, -1, &stmt, NULL);
		}
		sqlite3_step(stmt);
		free(views[i]);
	}
}

int sql_hide(struct sql *s, const struct sql_hidden *columns, size_t count, struct err *e)
{
	int result = 0;

	if (!s->file)
		return 0;
	sql_unguard(s);
	for (size_t i = 0; i < count && result == 0; i++)
		result = hide_one(s, &columns[i], e);
	if (result == 0 && s->root_count)
		copy_views(s);
	sql_guard(s);
	return result;
}

/* Whether the instruction opens a b-tree of a file; those made on the way are nobody's. */
static bool opens_tree(const char *opcode)
{
	if (str_is_listed(str_of(opcode), "OpenEphemeral OpenAutoindex OpenPseudo OpenDup"))
		return false;
	return strncmp(opcode, "Open", 4) == 0 || strncmp(opcode, "Reopen", 6) == 0;
}

/* The table whose b-tree the instruction opens, if only its shadow may; else NULL. */
static const char *opened_table(const struct sql *s, sqlite3_stmt *program)
{
	enum { OPCODE = 1, P2 = 3, P3 = 4, MAIN = 0 };
	const char *opcode = (const char *)sqlite3_column_text(program, OPCODE);

	if (!opcode || !opens_tree(opcode) || sqlite3_column_int(program, P3) != MAIN)
		return NULL;
	for (size_t i = 0; i < s->root_count; i++) {
		if (s->roots[i].page == sqlite3_column_int64(program, P2))
			return s->roots[i].table;
	}
	return NULL;
}

int sql_check_hidden(struct sql *s, sqlite3_stmt *stmt, struct sql_problem *p)
{
	SCOPED_BUF explained = {0};
	SCOPED_STMT *program = NULL;
	const char *table = NULL;
	int rc;

	if (!s->root_count || sqlite3_stmt_isexplain(stmt))
		return 0;
	buf_addf(&explained, "EXPLAIN %s", sql_statement(stmt));
	rc = sqlite3_prepare_v2(s->handle, explained.s, -1, &program, NULL);
	while (rc == SQLITE_OK && !table && (rc = sqlite3_step(program)) == SQLITE_ROW) {
		table = opened_table(s, program);
		rc = SQLITE_OK;
	}
	if (!table && rc == SQLITE_DONE)
		return 0;
	if (table) {
		*p = (struct sql_problem){.fault = SQL_HIDDEN};
		snprintf(p->name, sizeof(p->name), "%.190s", table);
	} else {
		sql_problem_describe(s, (struct str){0}, 0, p);
		p->has_place = false; /* of another text than the one that was written */
	}
	return -1;
}
