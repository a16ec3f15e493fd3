/* Which kernels are behind the categories, the largest of all runs first? */
#include "commands/categories/graph.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static const struct column kernel_columns[] = {
	{"run", "Run", UNIT_NAME, 0, "", SHOW},
	{"category", "Category", UNIT_NAME, 0, "", SHOW},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_pct", "% of GPU", UNIT_PERCENT, 0, NULL, SHOW},
	{"instances", "Instances", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
};

struct kernel_row {
	uint32_t run, line;
	double time;
};

struct kernel_rows {
	const struct graph *graph;
	struct kernel_row *rows;
};

static void make_kernel_row(const void *ctx, uint64_t i, struct cell *cells)
{
	const struct kernel_rows *k = ctx;
	const struct kernel_row *row = &k->rows[i];
	const struct graph *g = k->graph;
	const struct category_line *line = &g->runs[row->run].times.lines[row->line];
	struct mean time = graph_time(g, row->run, line->ns, line->merged_ns);

	cells[0] = cell_text(g->runs[row->run].run->label);
	cells[1] = cell_str(line->category);
	cells[2] = cell_str(line->name);
	cells[3] = mean_cell(time);
	cells[4] = graph_share_cell(row->time, mean_real(graph_gpu_time(g, row->run)));
	cells[5] = cell_int((int64_t)line->instances);
}

static int compare_kernel_rows(const void *a, const void *b, void *ctx)
{
	const struct kernel_row *x = a, *y = b;

	(void)ctx;
	return x->time > y->time ? -1 : x->time < y->time;
}

static struct kernel_row *list_kernels(const struct graph *g, uint64_t *ret_count)
{
	struct kernel_row *rows;
	uint64_t n = 0;

	for (size_t i = 0; i < g->run_count; i++)
		n += g->runs[i].times.count;
	rows = mem_alloc(n, sizeof(*rows));
	n = 0;
	for (uint32_t i = 0; i < g->run_count; i++) {
		const struct category_times *t = &g->runs[i].times;

		for (uint32_t k = 0; k < t->count; k++)
			rows[n++] = (struct kernel_row){
				i, k,
				mean_real(graph_time(g, i, t->lines[k].ns, t->lines[k].merged_ns))};
	}
	sort_stable(rows, n, sizeof(*rows), compare_kernel_rows, NULL);
	*ret_count = n;
	return rows;
}

void graph_add_kernels(const struct graph *g, struct report *r, uint64_t limit)
{
	static const char *const of_several[] = {"run", NULL};
	struct table *t = arena_zalloc(&r->arena, 1, sizeof(*t));
	struct kernel_rows *k = arena_zalloc(&r->arena, 1, sizeof(*k));

	k->graph = g;
	*t = (struct table){
		.name = "kernels",
		.title = "Kernels",
		.kind = "kernel",
		.columns = g->run_count > 1 ? kernel_columns
					    : graph_columns(r, kernel_columns,
							    ARRAY_LEN(kernel_columns), of_several),
		.column_count = ARRAY_LEN(kernel_columns),
		.row = make_kernel_row,
		.ctx = k,
	};
	k->rows = list_kernels(g, &t->total_rows);
	report_on_free(r, free, k->rows);
	t->rows = limit && limit < t->total_rows ? limit : t->total_rows;
	report_table(r, t);
}
