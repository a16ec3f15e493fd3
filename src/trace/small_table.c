/* What does a small table of the export say? */
#include "trace/small_table.h"

#include "base/mem.h"

enum { MAX_COLUMNS = 16 };

struct reading {
	struct small_table *out;
	const int *value_of; /* wanted column → which value of the batch; -1 */
};

static struct value make_value(const struct sqlite_values *v, size_t i)
{
	struct value x = {.type = v->type[i]};

	if (x.type == SQLITE_IS_INT)
		x.i = v->num[i];
	else if (x.type == SQLITE_IS_REAL)
		x.r = sqlite_real(v->num[i]);
	else if (x.type != SQLITE_IS_NULL)
		x.s = (struct str){v->s[i], (size_t)v->num[i]};
	return x;
}

static int take_rows(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct reading *r = ctx;

	(void)worker;
	(void)e;
	for (size_t i = 0; i < b->rows && b->first_row + i < r->out->rows; i++) {
		struct value *row = r->out->values + (b->first_row + i) * r->out->columns;

		for (size_t c = 0; c < r->out->columns; c++) {
			if (r->value_of[c] >= 0)
				row[c] = make_value(&b->values[r->value_of[c]], i);
		}
	}
	return 0;
}

int trace_read_small(struct trace *t, const char *name, const char *const *columns,
		     struct small_table *ret, struct err *e)
{
	const struct sqlite_table *table = sqlitefile_find_table(t->file, name);
	int sql[MAX_COLUMNS], value_of[MAX_COLUMNS];
	struct reading reading = {ret, value_of};
	struct sqlite_scan *scan;
	size_t wanted = 0;
	uint64_t rows;
	int result;
	TRACE_LOCK_SCOPE(t);

	*ret = (struct small_table){0};
	for (; columns[ret->columns]; ret->columns++) {
		int at = table ? sqlite_table_find_column(table, columns[ret->columns]) : -1;

		value_of[ret->columns] = at < 0 ? -1 : (int)wanted;
		if (at >= 0)
			sql[wanted++] = at;
	}
	if (!wanted)
		return 0;
	if (sqlite_scan_open(&scan, t->file, table, sql, wanted, &rows, e) < 0)
		return -1;
	ret->rows = rows < SMALL_TABLE_ROWS ? rows : SMALL_TABLE_ROWS;
	ret->values = arena_zalloc(&t->arena, ret->rows * ret->columns, sizeof(*ret->values));
	result = sqlite_scan_run(scan, take_rows, &reading, e);
	sqlite_scan_close(scan);
	return result;
}

int trace_read_host(struct trace *t, struct str *ret, struct err *e)
{
	static const char *const columns[] = {"name", "value", NULL};
	struct small_table s;

	*ret = (struct str){0};
	if (trace_read_small(t, "TARGET_INFO_SYSTEM_ENV", columns, &s, e) < 0)
		return -1;
	for (size_t i = 0; i < s.rows; i++) {
		if (str_eq(small_value(&s, i, 0)->s, STR_LIT("Hostname")))
			*ret = small_value(&s, i, 1)->s;
	}
	return 0;
}
