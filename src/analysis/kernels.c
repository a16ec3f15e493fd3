/* Which kernels took the GPU's time? */
#include "analysis/hidden_graphs.h"
#include "analysis/kernel_names.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"

#include <stdlib.h>

static int add_table(struct trace *t, const struct params *p, struct report *r,
		     const struct grouping *g, struct err *e)
{
	struct time_row *rows = mem_zalloc(g->count, sizeof(*rows));
	struct summary *sums = mem_alloc(g->count, sizeof(*sums));
	struct time_table table = {
		.name = "kernels",
		.kind = "kernel",
		.name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
		.rows = rows,
		.count = g->count,
	};
	int result;

	summarize(g->duration_ns, g->group, t->events[TRACE_KERNELS].count, g->count, sums);
	for (size_t i = 0; i < g->count; i++) {
		rows[i].name = trace_name(t, g->keys[i].name);
		rows[i].key = g->keys[i];
		rows[i].s = sums[i];
	}
	result = time_table_report(r, t, p, &table, e);
	free(sums);
	free(rows);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	window_report(r, self, t, p);
	if (kernel_names_read(t, p, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(t, TRACE_KERNELS, names.of_kernel, p, &g, e);
	if (result == 0) {
		result = add_table(t, p, r, &g, e);
		warn_without_times(r, &g, TRACE_KERNELS);
		grouping_free(&g);
	}
	if (result == 0)
		result = warn_of_hidden_graphs(t, r, e);
	kernel_names_free(&names);
	return result;
}

const struct analysis analysis_kernels = {
	.name = "kernels",
	.title = "Kernels",
	.order = "total time",
	.summary = "GPU kernels by total time, with percentiles",
	.needs = NEEDS(TRACE_KERNELS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_BY | PARAM_LIMIT | PARAM_SORT,
	.run = run,
};
