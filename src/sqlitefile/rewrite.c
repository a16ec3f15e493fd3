/* How are texts of a file changed so that nothing of what they were stays in it? */
#include "sqlitefile/rewrite.h"

#include "sqlitefile/library.h"

struct rewriter {
	sqlite_rewrite_fn *fn;
	void *ctx;
};

static struct str text_of(sqlite3_value *value)
{
	const char *s = (const char *)sqlite3_value_text(value);

	return s ? (struct str){s, (size_t)sqlite3_value_bytes(value)} : (struct str){"", 0};
}

/* rewritten(text, label): NULL where it stays. */
static void rewritten(sqlite3_context *c, int argc, sqlite3_value **argv)
{
	const struct rewriter *r = sqlite3_user_data(c);
	struct buf b = {0};

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_TEXT &&
	    r->fn(r->ctx, text_of(argv[1]), text_of(argv[0]), &b))
		sqlite3_result_text64(c, buf_str(&b).s, b.len, SQLITE_TRANSIENT, SQLITE_UTF8);
	buf_free(&b);
}

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	return sqlite3_table_column_metadata(db, NULL, table, column, NULL, NULL, NULL, NULL,
					     NULL) == SQLITE_OK;
}

static int rewrite_place(sqlite3 *db, const struct sqlite_place *p)
{
	const char *label = p->label ? p->label : p->column;
	struct buf sql = {0};
	int rc;

	if (!has_column(db, p->table, p->column) || !has_column(db, p->table, label))
		return SQLITE_OK;
	buf_addf(&sql,
		 "UPDATE \"%s\" SET \"%s\" = rewritten(\"%s\", \"%s\") "
		 "WHERE rewritten(\"%s\", \"%s\") IS NOT NULL",
		 p->table, p->column, p->column, label, p->column, label);
	rc = sqlite3_exec(db, sql.s, NULL, NULL, NULL);
	buf_free(&sql);
	return rc;
}

/* No journal on the disk would keep the old texts: the file can be made again from its report. */
static int prepare(sqlite3 *db, struct rewriter *r)
{
	int rc = sqlite3_create_function_v2(db, "rewritten", 2,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					    r, rewritten, NULL, NULL, NULL);

	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db,
				  "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; "
				  "PRAGMA secure_delete = ON; BEGIN",
				  NULL, NULL, NULL);
	return rc;
}

int sqlitefile_rewrite(const char *path, const struct sqlite_place *places, size_t count,
		       sqlite_rewrite_fn *fn, void *ctx, uint64_t *ret_changed, struct err *e)
{
	struct rewriter r = {fn, ctx};
	sqlite3 *db = NULL;
	int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), result = 0;

	if (rc == SQLITE_OK)
		rc = prepare(db, &r);
	for (size_t i = 0; i < count && rc == SQLITE_OK; i++)
		rc = rewrite_place(db, &places[i]);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		result = err_set(e, ERR_SYSTEM, "cannot write to '%s': %s", path,
				 sqlite3_errmsg(db));
	*ret_changed = db ? (uint64_t)sqlite3_total_changes64(db) : 0;
	sqlite3_close(db);
	return result;
}
