/* How does a table with a row per event come into a report, and how are an NVTX range and a grid
 * written? */
#include "analysis/nsys/nsys_report.h"

#include <stdio.h>

void trace_report(struct report *r, const struct analysis *a, const struct column *columns,
		  size_t column_count, uint64_t rows,
		  void (*row)(const void *ctx, uint64_t i, struct cell *cells), const void *ctx)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));

	*table = (struct table){
		.name = a->name,
		.title = a->title,
		.columns = columns,
		.column_count = column_count,
		.rows = rows,
		.total_rows = rows,
		.row = row,
		.ctx = ctx,
		.nsys = true,
	};
	report_table(r, table);
}

struct str range_style(uint32_t event_type)
{
	return nvtx_is_push_pop(event_type) ? STR_LIT("PushPop") : STR_LIT("StartEnd");
}

void range_add_stack(struct buf *b, const struct range_forest *f, uint32_t range)
{
	uint32_t chain[DEEPEST_SHOWN];
	size_t depth = 0;

	for (; range != RANGE_NONE && depth < DEEPEST_SHOWN; range = f->ranges[range].parent)
		chain[depth++] = range;
	while (depth)
		buf_addf(b, ":%lld", (long long)range_id(f, chain[--depth]));
}

int shape_require(struct trace *t, struct err *e)
{
	for (int c = COL_GRID_X; c <= COL_BLOCK_Z; c++) {
		if (trace_require_column(t, TRACE_KERNELS, (enum trace_column)c, e) < 0)
			return -1;
	}
	return 0;
}

struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES])
{
	if (dimensions[0][kernel] == ID_NONE || dimensions[1][kernel] == ID_NONE ||
	    dimensions[2][kernel] == ID_NONE)
		return STR_LIT("");
	int len = snprintf(out, SHAPE_BYTES, "%4u %4u %4u", dimensions[0][kernel],
			   dimensions[1][kernel], dimensions[2][kernel]);

	return (struct str){out, (size_t)len};
}
