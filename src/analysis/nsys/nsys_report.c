/* How does a table with a row per event come into a report, and how is an NVTX range written? */
#include "analysis/nsys/nsys_report.h"

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
