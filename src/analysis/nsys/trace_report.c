/* How does a table with a row per event come into a report? */
#include "analysis/nsys/trace_report.h"

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
