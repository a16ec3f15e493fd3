/* Which CUDA graphs were replayed, how often, and what of the GPU's time did they take? */
#include "analysis/cell_values.h"
#include "analysis/gpu/replays.h"
#include "analysis/numbers/summary.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "text/units.h"

#include <stdlib.h>

static const struct column columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"graph", "Graph", UNIT_ID, 0, "graph:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", MACHINE_ONLY},
	{"recorded", "Recorded", UNIT_NAME, 0, NULL, SHOW},
	{"replays", "Replays", UNIT_COUNT, 0, NULL, SHOW},
	{"nodes", "Nodes", UNIT_RATIO, 0, NULL, SHOW},
	{"total_ns", "GPU total", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"replay_p50_ns", "GPU p50", UNIT_NS, 0, NULL, SHOW},
	{"replay_max_ns", "GPU max", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"span_p50_ns", "Span p50", UNIT_NS, 0, NULL, SHOW},
	{"span_p90_ns", "Span p90", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"span_max_ns", "Span max", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"call_p50_ns", "Call p50", UNIT_NS, 0, NULL, SHOW_PREFERRED},
};

/* What is measured of each replay. */
enum measure { NODES, GPU_TIME, SPAN, CALL, MEASURES };

static int64_t measure_of(const struct replay *r, enum measure what)
{
	switch (what) {
	case NODES:
		return (int64_t)r->ops;
	case GPU_TIME:
		return r->gpu_ns;
	case SPAN:
		return sat_sub(r->end_ns, r->start_ns);
	default:
		return r->call_ns;
	}
}

/* By graph; the caller frees it. */
static struct summary *summarize_replays(const struct replays *x, enum measure what)
{
	struct summary *sums = mem_alloc(x->graph_count, sizeof(*sums));
	int64_t *values = mem_alloc(x->count, sizeof(*values));
	uint32_t *group = mem_alloc(x->count, sizeof(*group));

	for (size_t i = 0; i < x->count; i++) {
		values[i] = measure_of(&x->items[i], what);
		group[i] = values[i] == DURATION_NONE ? GROUP_NONE : x->items[i].graph;
	}
	summarize(values, group, x->count, x->graph_count, sums);
	free(group);
	free(values);
	return sums;
}

static void add_graph(struct rows *rows, const struct trace *t, const struct replays *x, size_t i,
		      struct summary *const sums[MEASURES])
{
	const struct graph *g = &x->graphs[i];
	const struct summary *gpu = &sums[GPU_TIME][i], *span = &sums[SPAN][i];
	const struct summary *call = &sums[CALL][i];

	rows_add(rows, g->process == ID_NONE
			       ? cell_null()
			       : cell_int(process_pid(t->process_keys.keys[g->process])));
	rows_add(rows, id_cell(g->id));
	rows_add(rows, g->thread == ID_NONE ? cell_null()
					    : cell_int(thread_tid(t->thread_keys.keys[g->thread])));
	rows_add(rows, cell_text(g->whole ? "whole" : "nodes"));
	rows_add(rows, cell_int((int64_t)gpu->count));
	rows_add(rows, g->whole ? cell_null() : cell_real(sums[NODES][i].p50));
	rows_add(rows, cell_int(gpu->total));
	rows_add(rows, x->all_ns > 0 ? cell_real((double)gpu->total * 100 / (double)x->all_ns)
				     : cell_null());
	rows_add(rows, cell_real(gpu->p50));
	rows_add(rows, cell_int(gpu->max));
	rows_add(rows, cell_real(span->p50));
	rows_add(rows, cell_real(span->p90));
	rows_add(rows, cell_int(span->max));
	rows_add(rows, call->count ? cell_real(call->p50) : cell_null());
}

static int add_table(struct report *r, const struct trace *t, const struct table_args *a,
		     const struct replays *x, struct err *e)
{
	struct rows *rows = report_new_rows(r, "graphs", NULL, columns, ARRAY_LEN(columns));
	struct summary *sums[MEASURES];

	rows->table.kind = "graph";
	for (int m = 0; m < MEASURES; m++)
		sums[m] = summarize_replays(x, (enum measure)m);
	for (size_t i = 0; i < x->graph_count; i++)
		add_graph(rows, t, x, i, sums);
	for (int m = 0; m < MEASURES; m++)
		free(sums[m]);
	return rows_arrange(rows, &a->rows, "total_ns", e);
}

/* What a capture of whole graphs keeps from everybody. */
static void note_whole_graphs(struct report *r, const struct replays *x)
{
	uint64_t count = 0;
	int64_t total_ns = 0;
	struct buf time = {0};

	for (size_t i = 0; i < x->count; i++) {
		if (!x->graphs[x->items[i].graph].whole)
			continue;
		count++;
		total_ns = sat_add(total_ns, x->items[i].gpu_ns);
	}
	if (!count)
		return;
	units_add_ns(&time, (double)total_ns);
	report_note(r,
		    "%llu replays, %s, were recorded as a whole: their kernels, copies and gaps "
		    "are hidden; capture with --cuda-graph-trace=node",
		    (unsigned long long)count, time.s);
	buf_free(&time);
}

/* Whether the trace has graphs that the window, the device or the process leaves out. */
static int find_others(struct trace *t, const struct scope *p, bool *ret, struct err *e)
{
	const struct scope all = {0};
	struct replays x;

	*ret = p->has_device || p->has_pid || p->has_trim;
	if (!*ret)
		return 0;
	if (replays_read(t, &all, &x, e) < 0)
		return -1;
	*ret = x.count > 0;
	replays_free(&x);
	return 0;
}

static int note_none(struct report *r, struct trace *t, const struct scope *p, struct err *e)
{
	bool others;

	if (find_others(t, p, &others, e) < 0)
		return -1;
	if (others)
		warn_filtered_out(r, 0, p);
	else
		report_note(r, "this trace has no CUDA graph launches");
	return 0;
}

static void add_notes(struct report *r, const struct replays *x)
{
	note_whole_graphs(r, x);
	if (x->without_launch)
		report_warning(r,
			       "%llu graph operations have no correlation id and are left out: "
			       "their replay is unknown",
			       (unsigned long long)x->without_launch);
	if (x->without_times)
		report_warning(r, "%llu GPU operations have no valid times and are left out",
			       (unsigned long long)x->without_times);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	struct replays x;
	int result;

	if (window_report(r, self, t, p, &a->rows, e) < 0 || replays_read(t, p, &x, e) < 0)
		return -1;
	result = add_table(r, t, a, &x, e);
	if (result == 0 && !x.count)
		result = note_none(r, t, p, e);
	add_notes(r, &x);
	replays_free(&x);
	return result;
}

const struct analysis analysis_graphs = {
	.name = "graphs",
	.title = "CUDA graphs",
	.order = "GPU time",
	.summary = "CUDA graphs: replays, nodes, GPU time and span",
	.detail = "A replay is one launch of a graph. Its GPU time is the sum over its kernels, "
		  "copies and memsets; its span is from the first start to the last end. Share is "
		  "of all GPU time. Nodes are those of the median replay. With "
		  "--cuda-graph-trace=graph, nsys records whole graphs and the number of nodes is "
		  "unknown. Graph numbers are the export's; without them, all graphs that a thread "
		  "launched count as one.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_GRAPHS),
	.options = &table_options,
	.run = run,
};
