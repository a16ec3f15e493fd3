/* Which tables and views does the file hold? */
#include "base/mem.h"
#include "sqlitefile/internal.h"

#include <strings.h>

enum { MAX_ENTRIES = 100000, TYPE = 0, NAME, TABLE_NAME, ROOT, SQL };

static const struct sqlite_column master_columns[] = {
	[TYPE] = {.name = "type", .type = "TEXT"},
	[NAME] = {.name = "name", .type = "TEXT"},
	[TABLE_NAME] = {.name = "tbl_name", .type = "TEXT"},
	[ROOT] = {.name = "rootpage", .type = "INT"},
	[SQL] = {.name = "sql", .type = "TEXT"},
};
static const struct column_rules master_rules[5];

/* Real text takes room of its own: claims beyond that come from cells that overlap. */
static int check_text(struct sqlitefile *f, const struct schema_row *row, struct err *e)
{
	static const struct table master = {.pub.name = "sqlite_master"};

	f->schema_bytes += row->name.len + row->sql.len;
	if (f->table_count < MAX_ENTRIES && f->schema_bytes <= 2 * f->size)
		return 0;
	return damage(f, &master, 0, e, "its entries claim more than the file holds");
}

/* Only libsqlite3 knows a view's columns; that it may fail to is seen when one reads the view. */
static void describe(struct sqlitefile *f, struct table *t, const char *declined)
{
	struct err ignored;

	t->declined = declined;
	db_describe(f, t, &ignored);
}

static void fill_columns(struct sqlitefile *f, struct table *t, struct str sql)
{
	if (t->pub.is_view)
		describe(f, t, "it is a view");
	else if (create_parse(&f->arena, t, sql) < 0)
		describe(f, t, "its CREATE statement is not a plain table's");
	else if (f->declined)
		describe(f, t, f->declined);
}

int schema_add_row(struct sqlitefile *f, const struct schema_row *row, struct err *e)
{
	bool is_view = str_eq(row->type, STR_LIT("view"));
	struct table *t;

	if (!is_view && !str_eq(row->type, STR_LIT("table")))
		return 0;
	if (row->name.len >= 7 && strncasecmp(row->name.s, "sqlite_", 7) == 0)
		return 0;
	if (check_text(f, row, e) < 0)
		return -1;
	MEM_GROW(f->tables, f->table_cap, f->table_count + 1);
	t = &f->tables[f->table_count++];
	*t = (struct table){.rowid_column = -1};
	t->pub.name = arena_str(&f->arena, row->name).s;
	t->pub.sql = arena_str(&f->arena, row->sql).s;
	t->pub.is_view = is_view;
	if (row->root > 0 && row->root <= UINT32_MAX)
		t->root = (uint32_t)row->root;
	fill_columns(f, t, row->sql);
	return 0;
}

static struct str text_of(const struct sqlite_values *v, size_t row)
{
	if (v->type[row] != SQLITE_IS_TEXT)
		return (struct str){"", 0};
	return (struct str){v->s[row], (size_t)v->num[row]};
}

static int keep_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	struct schema_row *rows = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows; i++) {
		const struct sqlite_values *root = &b->values[2];

		rows[b->first_row + i] = (struct schema_row){
			.type = text_of(&b->values[0], i),
			.name = text_of(&b->values[1], i),
			.sql = text_of(&b->values[3], i),
			.root = root->type[i] == SQLITE_IS_INT ? root->num[i] : 0,
		};
	}
	return 0;
}

static int run_master(struct sqlitefile *f, struct sqlite_scan *scan, const struct table *master,
		      uint64_t count, struct err *e)
{
	SCOPED struct schema_row *rows = NULL;
	int rc;

	if (count > MAX_ENTRIES)
		return damage(f, master, 0, e, "it has %llu entries", (unsigned long long)count);
	rows = mem_alloc(count, sizeof(*rows));
	rc = sqlite_scan_run(scan, keep_rows, rows, e);
	for (uint64_t i = 0; i < count && rc == 0; i++)
		rc = schema_add_row(f, &rows[i], e);
	return rc;
}

int schema_read(struct sqlitefile *f, struct err *e)
{
	static const int columns[] = {TYPE, NAME, ROOT, SQL};
	struct table master = {
		.pub = {"sqlite_master", "", NULL, master_columns, ARRAY_LEN(master_columns),
			false},
		.rules = master_rules,
		.rowid_column = -1,
		.root = 1,
	};
	struct sqlite_scan *scan;
	uint64_t count;
	int rc;

	if (f->declined)
		return db_read_schema(f, e);
	rc = sqlite_scan_open(&scan, f, &master.pub, columns, ARRAY_LEN(columns), &count, e);
	if (rc == 0) {
		rc = run_master(f, scan, &master, count, e);
		sqlite_scan_close(scan);
	}
	btree_free_leaves(&master.leaves);
	return rc;
}
