/* How are texts of a file changed so that nothing of what they were stays in it? */
#include "sqlitefile/rewrite.h"

#include "sqlitefile/library.h"

struct rewriter {
	sqlite_rewrite_fn *fn;
	void *ctx;
};

/* rewritten(text, label): NULL where it stays. */
static void rewritten(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	const struct rewriter *r = sqlite3_user_data(c);
	SCOPED_BUF b = {0};

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_TEXT &&
	    r->fn(r->ctx, library_text(argv[1]), library_text(argv[0]), &b))
		sqlite3_result_text64(c, buf_str(&b).s, b.len, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

static int ask_number(sqlite3 *db, const char *sql, int64_t *ret)
{
	SCOPED_STMT *stmt = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW)
		return rc;
	*ret = sqlite3_column_int64(stmt, 0);
	return SQLITE_OK;
}

/* How many texts of the place are to be others. */
static int count_changes(sqlite3 *db, const struct sqlite_place *p, const char *label, int64_t *ret)
{
	SCOPED_BUF sql = {0};

	buf_addf(&sql, "SELECT count(*) FROM main.\"%s\" WHERE rewritten(\"%s\", %s) NOTNULL",
		 p->table, p->column, label);
	return ask_number(db, sql.s, ret);
}

/*
 * All rows are taken out and put back: whoever wrote the file may have left copies of a text in the
 * unused parts of the table's pages, and a page that is given back is cleared.
 */
static int rewrite_place(sqlite3 *db, const struct sqlite_place *p, uint64_t *changed)
{
	const char *label = p->label ? p->label : "''";
	SCOPED_BUF sql = {0};
	int64_t count = 0;
	int rc;

	if (!has_column(db, p->table, p->column) ||
	    (p->label && !has_column(db, p->table, p->label)))
		return SQLITE_OK;
	rc = count_changes(db, p, label, &count);
	if (rc != SQLITE_OK || !count)
		return rc;
	*changed += (uint64_t)count;
	buf_addf(&sql,
		 "CREATE TEMP TABLE kept AS SELECT * FROM main.\"%s\" ORDER BY rowid; "
		 "UPDATE temp.kept SET \"%s\" = rewritten(\"%s\", %s) "
		 "WHERE rewritten(\"%s\", %s) NOTNULL; "
		 "DELETE FROM main.\"%s\"; "
		 "INSERT INTO main.\"%s\" SELECT * FROM temp.kept ORDER BY rowid; "
		 "DROP TABLE temp.kept",
		 p->table, p->column, p->column, label, p->column, label, p->table, p->table);
	return sqlite3_exec(db, sql.s, NULL, NULL, NULL);
}

/* Nothing on the disk keeps the old texts: the file itself can be made again from its report. */
static int prepare(sqlite3 *db, struct rewriter *r)
{
	int rc = sqlite3_create_function_v2(db, "rewritten", 2,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					    r, rewritten, NULL, NULL, NULL);

	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db,
				  "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; "
				  "PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; BEGIN",
				  NULL, NULL, NULL);
	return rc;
}

int sqlitefile_rewrite(const char *path, const struct sqlite_place *places, size_t count,
		       sqlite_rewrite_fn *fn, void *ctx, uint64_t *ret_changed, struct err *e)
{
	struct rewriter r = {fn, ctx};
	int64_t unused = 0;
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), result = 0;

	if (rc == SQLITE_OK)
		rc = ask_number(db, "PRAGMA freelist_count", &unused);
	if (rc == SQLITE_OK)
		rc = prepare(db, &r);
	*ret_changed = 0;
	for (size_t i = 0; i < count && rc == SQLITE_OK; i++)
		rc = rewrite_place(db, &places[i], ret_changed);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	/* What pages have that were given back before, only a new file does not have. */
	if (rc == SQLITE_OK && unused && *ret_changed)
		rc = sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA temp_store = FILE; VACUUM",
				  NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		result = err_set(e, ERR_SYSTEM, "cannot write to '%s': %s", path,
				 sqlite3_errmsg(db));
	sqlite3_close(db);
	return result;
}
