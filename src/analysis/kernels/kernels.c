/* Which kernels took the GPU's time? */
#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/kernel_sums.h"
#include "analysis/kernels/kernel_metrics.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"

#include <stdlib.h>

/* `metrics` and `lines`: NULL where they are not asked for. */
static int add_table(struct trace *t, const struct grouped_args *a, struct report *r,
		     const struct kernel_sums *s, struct kernel_metrics *metrics,
		     const struct line_groups *lines, struct err *e)
{
	struct time_row *rows = mem_zalloc(s->count, sizeof(*rows));
	struct time_table table = {
		.name = "kernels",
		.by = a->by,
		.kind = "kernel",
		.name_column = {"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
		.extra = kernel_metric_columns,
		.extra_count = metrics ? KERNEL_METRICS : 0,
		.lines = lines,
		.rows = rows,
		.count = s->count,
	};
	int result;

	for (size_t i = 0; i < s->count; i++) {
		rows[i].name = trace_name(t, line_groups_name(lines, s->keys[i].name));
		rows[i].key = s->keys[i];
		rows[i].s = s->sums[i];
		if (metrics)
			kernel_metrics_cells(metrics, rows[i].name,
					     a->by == BY_DEVICE ? s->keys[i].device : ID_NONE,
					     rows[i].extra);
	}
	result = time_table_report(r, t, &a->table, &table, e);
	free(rows);
	return result;
}

static int add_table_as_asked(struct trace *t, const struct grouped_args *a, struct report *r,
			      const struct kernel_sums *s, struct err *e)
{
	const struct span window = {r->window_start_ns, r->window_end_ns};
	struct kernel_metrics metrics;
	int result;

	if (!a->metrics)
		return add_table(t, a, r, s, NULL, NULL, e);
	if (kernel_metrics_read(t, &a->table.scope, window, &metrics, e) < 0)
		return -1;
	result = add_table(t, a, r, s, &metrics, NULL, e);
	kernel_metrics_free(&metrics);
	return result;
}

static int answer(struct trace *t, const struct grouped_args *a, struct report *r, struct err *e)
{
	const struct scope *p = &a->table.scope;
	struct kernel_sums sums;
	int result;

	if (kernel_sums_read(t, p, a->by, &sums, e) < 0)
		return -1;
	result = sums.count || !scope_is_trimmed(p) ? add_table_as_asked(t, a, r, &sums, e)
						    : window_refuse_empty(t, p, TRACE_KERNELS, e);
	warn_without_times(r, sums.without_times, TRACE_KERNELS);
	kernel_sums_free(&sums);
	return result;
}

static int add_lines(struct trace *t, const struct grouped_args *a, struct line_groups *lines,
		     struct report *r, struct err *e)
{
	const struct events *ev = &t->events[TRACE_KERNELS];
	struct kernel_sums s = {0};
	const uint32_t *names;
	struct grouping g;
	int result;

	if (line_groups_names(lines, TRACE_KERNELS, ev->name, &names, e) < 0 ||
	    grouping_make(t, TRACE_KERNELS, names, &a->table.scope, BY_NONE, &g, e) < 0)
		return -1;
	s = (struct kernel_sums){.keys = g.keys, .count = g.count};
	s.sums = mem_alloc(g.count, sizeof(*s.sums));
	summarize(g.duration_ns, g.group, ev->count, g.count, s.sums);
	result = add_table(t, a, r, &s, NULL, lines, e);
	warn_without_times(r, g.without_times, TRACE_KERNELS);
	free(s.sums);
	grouping_free(&g);
	return result;
}

static int answer_by_line(struct trace *t, const struct grouped_args *a, struct report *r,
			  struct err *e)
{
	struct line_groups lines = {0};
	int result = -1;

	if (trace_load(t, TRACE_KERNELS, COLS_TIMES | COL_BIT(COL_NAME), e) == 0 &&
	    trace_require_column(t, TRACE_KERNELS, COL_NAME, e) == 0 &&
	    line_groups_open(&lines, t, e) == 0)
		result = add_lines(t, a, &lines, r, e);
	line_groups_free(&lines);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct grouped_args *a = args;
	int result;

	if (window_report(r, self, t, &a->table.scope, &a->table.rows, e) < 0)
		return -1;
	result = a->by == BY_LINE ? answer_by_line(t, a, r, e) : answer(t, a, r, e);
	return result < 0 ? -1 : warn_of_hidden_graphs(t, r, e);
}

static const struct topic topics_kernels[] = {
	{.table = "kernels",
	 .subject = "kernel",
	 .words = "kernel kernels gemm matmul attention flash softmax layernorm elementwise triton "
		  "cutlass cublas nvjet operator op dominate dominant expensive hot hotspot "
		  "hottest costly heavy heaviest top slowest longest consuming called launched "
		  "instances occurrences",
	 .questions = "which kernel takes the most time\n"
		      "what are the top 5 kernels\n"
		      "what are the slowest kernels\n"
		      "what is the most expensive kernel\n"
		      "how long does the attention kernel take\n"
		      "how many kernels were launched\n"
		      "how many kernels ran on GPU 0\n"
		      "how much time is spent in gemm kernels\n"
		      "what is the average duration of a kernel\n"
		      "how often was this kernel called\n"
		      "which operator dominates GPU time\n"
		      "what share of the kernel time is matmul\n"
		      "which kernel has the longest single run\n"
		      "total kernel time\n"
		      "which kernel runs most often\n"
		      "which kernels ran in step 3\n",
	 .row = "{kernel} takes {total_ns}|, {pct} of the kernel time|, in {count} launches|, "
		"{avg_ns} each on average|, at most {max_ns}",
	 .sum = "{count} launches of {#} kernels take {total_ns}|, {avg_ns} each on average|, "
		"from {min_ns} to {max_ns}",
	 .by = "total_ns",
	 .needs = "gpu_time",
	 .none = "no kernels ran there"},
	{.table = "kernels",
	 .subject = "inside",
	 .words = "kernel kernels inside graph graphs replayed replay node nodes captured contains",
	 .questions = "which kernels run inside the CUDA graph\n"
		      "what are the top kernels in the graph\n"
		      "which kernels does the graph replay\n",
	 .row = "{kernel} takes {total_ns}|, {pct} of the kernel time|, in {count} launches",
	 .by = "total_ns",
	 .needs = "gpu_time",
	 .needs_all = true},
	{0},
};

const struct analysis analysis_kernels = {
	.name = "kernels",
	.title = "Kernels",
	.order = "total time",
	.summary = "GPU kernels by total time, with percentiles",
	.example = "gpuwhy kernels trace.sqlite --by stream --limit 10",
	.needs = NEEDS(TRACE_KERNELS),
	.options = &kernel_options,
	.run = run,
	.topics = topics_kernels,
};
