/* What does libsqlite3 say about what we do not read ourselves? */
#include "base/buf.h"
#include "base/mem.h"
#include "sqlitefile/library.h"

#include <stdlib.h>

enum { STEPS_PER_CHECK = 10000, BATCH_ROWS = 256 };

/* A view is a program that the file brings along: these bound what it can cost. */
static const int64_t view_steps = 100000000;
static const uint64_t view_text_bytes = 256 << 20;

struct db {
	sqlite3 *handle;
	int64_t steps_left;
};

static int on_progress(void *ctx)
{
	struct db *db = ctx;

	db->steps_left -= STEPS_PER_CHECK;
	return db->steps_left < 0;
}

/* A sound table cannot take more: every row has at least 6 bytes of the file. */
static void allow_steps(const struct sqlitefile *f, const struct table *t)
{
	if (t && t->root)
		f->db->steps_left = 1000000 + (int64_t)(library_bytes(f) / 4) *
						      (int64_t)(t->pub.column_count + 8);
	else
		f->db->steps_left = view_steps + 2 * (int64_t)library_bytes(f);
}

static int fail(const struct sqlitefile *f, const struct table *t, sqlite3 *handle, struct err *e)
{
	int rc = sqlite3_extended_errcode(handle) & 0xff;
	const char *name = t ? t->pub.name : "sqlite_master";

	switch (rc) {
	case SQLITE_NOMEM:
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
	case SQLITE_PERM:
	case SQLITE_FULL:
		return err_set(e, ERR_SYSTEM, "reading '%s', table %.200s: %s", f->path, name,
			       sqlite3_errmsg(handle));
	case SQLITE_INTERRUPT:
		err_set(e, ERR_INPUT, "'%s': table %.200s takes too long to read", f->path, name);
		return err_hint(e, "it is a view that computes too much, or it is damaged");
	default:
		err_set(e, ERR_INPUT, "'%s': table %.200s: %s", f->path, name,
			sqlite3_errmsg(handle));
		return err_hint(e, "copy the file again, or export again with "
				   "nsys export --type sqlite");
	}
}

static int harden(struct sqlitefile *f, struct err *e)
{
	sqlite3 *handle = f->db->handle;

	sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, library_longest(f));
	sqlite3_progress_handler(handle, STEPS_PER_CHECK, on_progress, f->db);
	allow_steps(f, NULL);
	return library_harden(handle) == SQLITE_OK ? 0 : fail(f, NULL, handle, e);
}

/* Opens f->db unless it is open: the file itself immutably, or the sidecar's private copy. */
static int db_open(struct sqlitefile *f, struct err *e)
{
	if (f->db)
		return 0;
	f->db = mem_zalloc(1, sizeof(*f->db));
	if (library_open(f, &f->db->handle, e) == 0 && harden(f, e) == 0)
		return 0;
	db_close(f->db);
	f->db = NULL;
	return -1;
}

void db_close(struct db *db)
{
	if (!db)
		return;
	sqlite3_close_v2(db->handle);
	free(db);
}

static int prepare(struct sqlitefile *f, const struct table *t, const char *sql, sqlite3_stmt **ret,
		   struct err *e)
{
	if (db_open(f, e) < 0)
		return -1;
	allow_steps(f, t);
	if (sqlite3_prepare_v2(f->db->handle, sql, -1, ret, NULL) != SQLITE_OK)
		return fail(f, t, f->db->handle, e);
	return 0;
}

static struct str column_str(sqlite3_stmt *stmt, int i)
{
	const char *s = (const char *)sqlite3_column_text(stmt, i);

	return (struct str){s ? s : "", s ? (size_t)sqlite3_column_bytes(stmt, i) : 0};
}

int db_read_schema(struct sqlitefile *f, struct err *e)
{
	SCOPED_STMT *stmt = NULL;
	int rc = 0, step = SQLITE_ROW;

	if (prepare(f, NULL, "SELECT type, name, rootpage, sql FROM sqlite_master ORDER BY rowid",
		    &stmt, e) < 0)
		return -1;
	while (rc == 0 && (step = sqlite3_step(stmt)) == SQLITE_ROW)
		rc = schema_add_row(f,
				    &(struct schema_row){
					    .type = column_str(stmt, 0),
					    .name = column_str(stmt, 1),
					    .root = sqlite3_column_int64(stmt, 2),
					    .sql = column_str(stmt, 3),
				    },
				    e);
	return rc == 0 && step != SQLITE_DONE ? fail(f, NULL, f->db->handle, e) : rc;
}

struct described {
	struct sqlite_column *columns;
	size_t count;
	size_t cap;
};

static int read_columns(struct sqlitefile *f, const struct table *t, struct described *d,
			struct err *e)
{
	SCOPED_STMT *stmt = NULL;
	int step;

	/* hidden = 1: the secret columns of virtual tables. */
	if (prepare(f, t, "SELECT name, type FROM pragma_table_xinfo(?) WHERE hidden <> 1", &stmt,
		    e) < 0)
		return -1;
	sqlite3_bind_text(stmt, 1, t->pub.name, -1, SQLITE_STATIC);
	while ((step = sqlite3_step(stmt)) == SQLITE_ROW) {
		MEM_GROW(d->columns, d->cap, d->count + 1);
		d->columns[d->count++] = (struct sqlite_column){
			.name = arena_str(&f->arena, column_str(stmt, 0)).s,
			.type = arena_str(&f->arena, column_str(stmt, 1)).s,
		};
	}
	return step == SQLITE_DONE ? 0 : fail(f, t, f->db->handle, e);
}

int db_describe(struct sqlitefile *f, struct table *t, struct err *e)
{
	struct described d = {0};
	int rc = read_columns(f, t, &d, e);

	if (rc == 0) {
		struct sqlite_column *columns = arena_alloc(&f->arena, d.count, sizeof(*columns));

		for (size_t i = 0; i < d.count; i++) {
			columns[i] = d.columns[i];
			/* Comments only the statement itself has. */
			if (d.count == t->pub.column_count) {
				columns[i].references = t->pub.columns[i].references;
				columns[i].comment = t->pub.columns[i].comment;
			}
		}
		t->pub.columns = columns;
		t->pub.column_count = d.count;
	}
	free(d.columns);
	return rc;
}

/* Quoted so that a name which does not exist is an error: "x" would become a string. */
static void add_name(struct buf *b, const char *name)
{
	buf_addc(b, '`');
	for (; *name; name++) {
		if (*name == '`')
			buf_addc(b, '`');
		buf_addc(b, *name);
	}
	buf_addc(b, '`');
}

static void add_from(struct buf *b, const struct table *t)
{
	buf_adds(b, " FROM ");
	add_name(b, t->pub.name);
	/* An index that covers the columns would give the rows in its own order. */
	if (t->root)
		buf_adds(b, " NOT INDEXED");
}

int db_count_rows(struct sqlitefile *f, const struct table *t, uint64_t *ret, struct err *e)
{
	SCOPED_STMT *stmt = NULL;
	SCOPED_BUF sql = {0};

	buf_adds(&sql, "SELECT count(*)");
	add_from(&sql, t);
	if (prepare(f, t, sql.s, &stmt, e) < 0)
		return -1;
	if (sqlite3_step(stmt) != SQLITE_ROW)
		return fail(f, t, f->db->handle, e);
	*ret = (uint64_t)sqlite3_column_int64(stmt, 0);
	return 0;
}

/* The batch being filled. */
struct column_batch {
	uint8_t type[BATCH_ROWS];
	int64_t num[BATCH_ROWS];
	const char *s[BATCH_ROWS];
};

struct reader {
	struct sqlitefile *f;
	const struct table *t;
	sqlite3_stmt *stmt;
	struct column_batch *columns;
	struct sqlite_values *values;
	size_t count;
	uint64_t rows; /* delivered */
	size_t filled;
	uint64_t text_left;
	sqlite_batch_fn *fn;
	void *ctx;
};

static int take_bytes(struct reader *r, struct column_batch *c, size_t row, const void *bytes,
		      int i, struct err *e)
{
	size_t len = (size_t)sqlite3_column_bytes(r->stmt, i);
	char *copy;

	if (len && !bytes)
		return fail(r->f, r->t, r->f->db->handle, e);
	if (len > r->text_left)
		return damage(r->f, r->t, 0, e, "it contains more text than fits in the file");
	r->text_left -= len;
	copy = text_room(r->f, len);
	if (len)
		memcpy(copy, bytes, len);
	c->num[row] = (int64_t)len;
	c->s[row] = copy;
	return 0;
}

static int take_value(struct reader *r, int i, size_t row, struct err *e)
{
	struct column_batch *c = &r->columns[i];
	double d;

	c->num[row] = 0;
	c->s[row] = NULL;
	switch (sqlite3_column_type(r->stmt, i)) {
	case SQLITE_INTEGER:
		c->type[row] = SQLITE_IS_INT;
		c->num[row] = sqlite3_column_int64(r->stmt, i);
		return 0;
	case SQLITE_FLOAT:
		c->type[row] = SQLITE_IS_REAL;
		d = sqlite3_column_double(r->stmt, i);
		memcpy(&c->num[row], &d, sizeof(d));
		return 0;
	case SQLITE_TEXT:
		c->type[row] = SQLITE_IS_TEXT;
		return take_bytes(r, c, row, sqlite3_column_text(r->stmt, i), i, e);
	case SQLITE_BLOB:
		c->type[row] = SQLITE_IS_BLOB;
		return take_bytes(r, c, row, sqlite3_column_blob(r->stmt, i), i, e);
	default:
		c->type[row] = SQLITE_IS_NULL;
		return 0;
	}
}

static int deliver(struct reader *r, struct err *e)
{
	struct sqlite_batch batch = {r->rows, r->filled, r->values};

	r->rows += r->filled;
	r->filled = 0;
	return batch.rows ? r->fn(r->ctx, &batch, 0, e) : 0;
}

static int read_rows(struct reader *r, uint64_t rows, struct err *e)
{
	int step;

	while ((step = sqlite3_step(r->stmt)) == SQLITE_ROW) {
		if (r->rows + r->filled == rows)
			return damage(r->f, r->t, 0, e, "its rows change each time it is read");
		for (size_t i = 0; i < r->count; i++)
			if (take_value(r, (int)i, r->filled, e) < 0)
				return -1;
		if (++r->filled == BATCH_ROWS && deliver(r, e) < 0)
			return -1;
	}
	if (step != SQLITE_DONE)
		return fail(r->f, r->t, r->f->db->handle, e);
	if (r->rows + r->filled != rows)
		return damage(r->f, r->t, 0, e, "its rows change each time it is read");
	return deliver(r, e);
}

static int prepare_select(struct reader *r, const int *columns, struct err *e)
{
	SCOPED_BUF sql = {0};

	buf_adds(&sql, "SELECT ");
	for (size_t i = 0; i < r->count; i++) {
		if (i)
			buf_addc(&sql, ',');
		add_name(&sql, r->t->pub.columns[columns[i]].name);
	}
	if (r->count == 0)
		buf_adds(&sql, "1");
	add_from(&sql, r->t);
	return prepare(r->f, r->t, sql.s, &r->stmt, e);
}

int db_scan(struct sqlitefile *f, const struct table *t, const int *columns, size_t count,
	    uint64_t rows, sqlite_batch_fn *fn, void *ctx, struct err *e)
{
	struct reader r = {.f = f, .t = t, .count = count, .fn = fn, .ctx = ctx};
	int rc;

	r.text_left = view_text_bytes + 4 * library_bytes(f);
	if (prepare_select(&r, columns, e) < 0)
		return -1;
	r.columns = mem_alloc(count, sizeof(*r.columns));
	r.values = mem_alloc(count, sizeof(*r.values));
	for (size_t i = 0; i < count; i++)
		r.values[i] = (struct sqlite_values){r.columns[i].type, r.columns[i].num,
						     r.columns[i].s, SQLITE_IS_ANY};
	rc = read_rows(&r, rows, e);
	sqlite3_finalize(r.stmt);
	free(r.columns);
	free(r.values);
	return rc;
}
