/* What does the export say of one event? */
#include "trace/event_row.h"

#include <assert.h>

struct reading {
	uint64_t row;
	const int *value_of; /* by wanted column: which of a batch's it is; -1: none */
	size_t count;
	int64_t *ret;
};

static int take_batch(void *ctx, const struct sqlite_batch *b, unsigned worker, struct err *e)
{
	const struct reading *r = ctx;
	const uint64_t at = r->row - b->first_row;

	(void)worker;
	(void)e;
	if (r->row < b->first_row || at >= b->rows)
		return 0;
	for (size_t i = 0; i < r->count; i++) {
		const struct sqlite_values *v =
			r->value_of[i] < 0 ? NULL : &b->values[r->value_of[i]];

		if (v && v->type[at] == SQLITE_IS_INT)
			r->ret[i] = v->num[at];
	}
	return 0;
}

int event_row_read(struct trace *t, enum trace_kind kind, uint64_t row,
		   const enum trace_column *columns, size_t count, int64_t *ret, struct err *e)
{
	int value_of[EVENT_ROW_MOST], wanted[EVENT_ROW_MOST];
	struct reading r = {row, value_of, count, ret};
	struct sqlite_scan *scan;
	size_t found = 0;
	uint64_t rows;
	int result;
	TRACE_LOCK_SCOPE(t);

	assert(count <= EVENT_ROW_MOST);
	for (size_t i = 0; i < count; i++) {
		const int column = trace_sql_column(t, kind, columns[i]);

		ret[i] = INT_NONE;
		value_of[i] = column < 0 ? -1 : (int)found;
		if (column >= 0)
			wanted[found++] = column;
	}
	if (!found)
		return 0;
	if (sqlite_scan_open(&scan, t->file, t->events[kind].table, wanted, found, &rows, e) < 0)
		return -1;
	result = row < rows ? sqlite_scan_run_row(scan, row, take_batch, &r, e) : 0;
	sqlite_scan_close(scan);
	return result;
}
