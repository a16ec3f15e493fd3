/* Which CUDA graphs were replayed, how often, and what of the GPU's time did they take? */
#include "analysis/cell_values.h"
#include "analysis/gpu/process_gpus.h"
#include "analysis/numbers/summary.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "text/units.h"
#include "trace/calls/launch.h"

#include <stdlib.h>

/* One launch of a graph, recorded node by node or as a whole, as far as it lies in the window. */
struct replay {
	uint32_t graph;		  /* replays.graphs */
	uint64_t ops;		  /* recorded: its nodes, or 1 for a graph as a whole */
	uint64_t kernels;	  /* of its nodes */
	int64_t gpu_ns;		  /* of all ops */
	int64_t start_ns, end_ns; /* from the first op's start to the last one's end */
	int64_t call_ns;	  /* duration of the call; DURATION_NONE: it is not in the trace */
};

struct graph {
	uint32_t process; /* trace->process_keys, or ID_NONE */
	uint32_t id;	  /* in the export; ID_NONE: it does not say, and `thread` launched it */
	uint32_t thread;  /* trace->thread_keys, or ID_NONE */
	bool whole;	  /* its nodes were not recorded */
};

struct replays {
	struct replay *items;
	size_t count, cap;
	struct graph *graphs;
	size_t graph_count, graph_cap;
	bool any;		 /* the trace may have graphs, in the window or elsewhere */
	int64_t all_ns;		 /* time of all GPU work in the window, where it may */
	uint64_t without_launch; /* ops of graphs that do not say which launch they belong to */
	uint64_t without_times;
};

/* Of the graph of a launch. No id reaches it. */
#define GRAPH_UNSAID (ID_NONE - 1)

enum { ALL_GPU_KINDS = (1u << TRACE_GPU_KINDS) - 1 };

struct reader {
	struct trace *trace;
	const struct scope *p;
	struct launches joined;
	struct process_gpus pairs;
	bool *graph_origin;	   /* by origin: it launches graphs */
	uint32_t *graph_of_launch; /* ID_NONE: launched no graph; NULL: the trace has none at all */
	uint32_t *replay_of_launch;
	struct idmap by_id, by_thread; /* of a process → graph */
	struct replays *out;
};

/* Whether any op may be of a graph: most traces have none, and are not searched. */
static bool may_have_graphs(const struct reader *r)
{
	bool any = r->trace->events[TRACE_GRAPHS].count > 0;

	for (size_t i = 0; i < r->joined.calls.origin_count; i++)
		any |= r->graph_origin[i];
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		any |= r->trace->events[kind].graph != NULL;
	return any;
}

/* The graph that an op says it belongs to. */
static uint32_t said_graph(const struct reader *r, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &r->trace->events[kind];
	struct api_call call;

	if (ev->graph && ev->graph[row] != ID_NONE)
		return ev->graph[row];
	if (kind == TRACE_GRAPHS ||
	    (launches_call(&r->joined, r->joined.begin[kind] + row, &call) &&
	     r->graph_origin[call.origin]))
		return GRAPH_UNSAID;
	return ID_NONE;
}

/* Graphs within graphs have ids of their own: the lowest, which came first, stands for all. */
static void find_graphs(struct reader *r)
{
	size_t count = r->joined.launch_count;

	r->graph_of_launch = new_ids(count);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for (uint64_t i = 0; i < r->trace->events[kind].count; i++) {
			uint32_t launch = r->joined.launch_of_op[r->joined.begin[kind] + i];
			uint32_t graph = said_graph(r, (enum trace_kind)kind, i);

			if (launch == LAUNCH_NONE)
				r->out->without_launch += graph != ID_NONE;
			else if (graph < r->graph_of_launch[launch])
				r->graph_of_launch[launch] = graph;
		}
	}
}

static uint32_t new_graph(struct replays *x, struct graph g)
{
	MEM_GROW(x->graphs, x->graph_cap, x->graph_count + 1);
	x->graphs[x->graph_count] = g;
	return (uint32_t)x->graph_count++;
}

static uint32_t number_graph(struct reader *r, struct graph g)
{
	bool said = g.id != GRAPH_UNSAID;
	struct idmap *map = said ? &r->by_id : &r->by_thread;
	uint64_t key = (uint64_t)g.process << 32 | (said ? g.id : g.thread);
	uint32_t number = idmap_get(map, key);

	if (number != IDMAP_NONE)
		return number;
	if (said)
		g.thread = ID_NONE;
	else
		g.id = ID_NONE;
	return idmap_add(map, key, new_graph(r->out, g));
}

static struct replay *new_replay(struct reader *r, uint32_t launch, uint32_t process, bool whole)
{
	struct api_call call;
	bool called = launches_earliest_call(&r->joined, launch, &call);
	struct replays *x = r->out;
	struct graph g = {process, r->graph_of_launch[launch],
			  called ? launches_origin(&r->joined, &call).thread : ID_NONE, whole};

	MEM_GROW(x->items, x->cap, x->count + 1);
	r->replay_of_launch[launch] = (uint32_t)x->count;
	x->items[x->count] = (struct replay){
		.graph = number_graph(r, g),
		.start_ns = INT64_MAX,
		.end_ns = INT64_MIN,
		.call_ns = called ? call.duration_ns : DURATION_NONE,
	};
	return &x->items[x->count++];
}

static void add_op(struct reader *r, enum trace_kind kind, uint64_t row, uint32_t process,
		   int64_t inside_ns)
{
	const struct events *ev = &r->trace->events[kind];
	uint32_t launch = r->joined.launch_of_op[r->joined.begin[kind] + row];
	int64_t start_ns = ev->start_ns[row];
	struct replay *replay;

	if (launch == LAUNCH_NONE || !r->graph_of_launch || r->graph_of_launch[launch] == ID_NONE)
		return;
	if (r->p->has_trim && start_ns < r->p->from_ns)
		start_ns = r->p->from_ns;
	replay = r->replay_of_launch[launch] == ID_NONE
			 ? new_replay(r, launch, process, kind == TRACE_GRAPHS)
			 : &r->out->items[r->replay_of_launch[launch]];
	replay->ops++;
	replay->kernels += kind == TRACE_KERNELS;
	replay->gpu_ns = sat_add(replay->gpu_ns, inside_ns);
	if (start_ns < replay->start_ns)
		replay->start_ns = start_ns;
	if (sat_add(start_ns, inside_ns) > replay->end_ns)
		replay->end_ns = sat_add(start_ns, inside_ns);
}

static void take_op(struct reader *r, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &r->trace->events[kind];
	uint32_t pair = process_gpus_number(&r->pairs, ev, row);
	int64_t inside_ns;

	if (!r->pairs.all[pair].wanted)
		return;
	if (ev->duration_ns[row] == DURATION_NONE) {
		r->out->without_times++;
		return;
	}
	if (!window_clip(r->p, ev->start_ns[row], ev->duration_ns[row], &inside_ns))
		return;
	r->out->all_ns = sat_add(r->out->all_ns, inside_ns);
	add_op(r, kind, row, r->pairs.all[pair].process, inside_ns);
}

static void collect(struct reader *r)
{
	size_t count = r->graph_of_launch ? r->joined.launch_count : 0;

	r->replay_of_launch = new_ids(count);
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &r->trace->events[kind];

		/* Where there are no graphs, nothing but what cannot be told is of interest. */
		for (uint64_t i = 0; i < ev->count; i++) {
			if (r->graph_of_launch || ev->duration_ns[i] == DURATION_NONE)
				take_op(r, (enum trace_kind)kind, i);
		}
	}
}

static int load(struct reader *r, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_GRAPH) | launches_columns(r->trace);

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (process_gpus_load(r->trace, (enum trace_kind)kind, columns, r->p, e) < 0)
			return -1;
	}
	return launches_join_kinds(r->trace, ALL_GPU_KINDS, &r->joined, e);
}

/* p->trim clips, p->device and p->pid filter. */
static int replays_read(struct trace *t, const struct scope *p, struct replays *ret, struct err *e)
{
	struct reader r = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct replays){0};
	if (load(&r, e) < 0)
		return -1;
	result = process_gpus_open(&r.pairs, t, p, e);
	if (result == 0) {
		r.graph_origin = launches_graph_origins(&r.joined, t);
		ret->any = may_have_graphs(&r);
		if (ret->any)
			find_graphs(&r);
		collect(&r);
	}
	launches_free(&r.joined);
	process_gpus_close(&r.pairs);
	free(r.graph_origin);
	free(r.graph_of_launch);
	free(r.replay_of_launch);
	idmap_free(&r.by_id);
	idmap_free(&r.by_thread);
	return result;
}

static void replays_free(struct replays *x)
{
	free(x->items);
	free(x->graphs);
	*x = (struct replays){0};
}

static const struct column columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"graph", "Graph", UNIT_ID, 0, "graph:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", MACHINE_ONLY},
	{"recorded", "Recorded", UNIT_NAME, 0, NULL, SHOW},
	{"replays", "Replays", UNIT_COUNT, 0, NULL, SHOW},
	{"nodes", "Nodes", UNIT_COUNT, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
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
enum measure { NODES, KERNELS, GPU_TIME, SPAN, CALL, MEASURES };

static int64_t measure_of(const struct replay *r, enum measure what)
{
	switch (what) {
	case NODES:
		return (int64_t)r->ops;
	case KERNELS:
		return (int64_t)r->kernels;
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

	rows_add(rows, process_pid_cell(t, g->process));
	rows_add(rows, id_cell(g->id));
	rows_add(rows, tid_cell(t, g->thread));
	rows_add(rows, cell_text(g->whole ? "whole" : "nodes"));
	rows_add(rows, cell_int((int64_t)gpu->count));
	rows_add(rows, g->whole ? cell_null() : cell_real(sums[NODES][i].p50));
	rows_add(rows, g->whole ? cell_null() : cell_int(sums[KERNELS][i].total));
	rows_add(rows, cell_int(gpu->total));
	rows_add(rows, pct_cell(gpu->total, x->all_ns));
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

static int note_none(struct report *r, struct trace *t, const struct scope *p, bool any,
		     struct err *e)
{
	bool others = false;

	if (any && find_others(t, p, &others, e) < 0)
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
			       "%llu graph ops have no correlation id and are left out: "
			       "their replay is unknown",
			       (unsigned long long)x->without_launch);
	if (x->without_times)
		report_warning(r, "%llu GPU ops have no valid times and are left out",
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
		result = note_none(r, t, p, x.any, e);
	add_notes(r, &x);
	replays_free(&x);
	return result;
}

static const struct topic topics_graphs[] = {
	{.table = "graphs",
	 .subject = "graph",
	 .words = "graph graphs cudagraph cudagraphs replay replays captured node nodes "
		  "cudagraphlaunch",
	 .questions = "are CUDA graphs used\n"
		      "how many graph replays are there\n"
		      "how long does a graph launch take\n"
		      "how many nodes does the graph have\n"
		      "how often was the CUDA graph replayed\n"
		      "what is the GPU time of graphs\n",
	 .row = "graph {graph}: {replays} replays|, {nodes} nodes|, {kernels} kernels in all|, "
		"{total_ns} of GPU time|, {replay_p50_ns} each at the median",
	 .sum = "{replays} replays take {total_ns}|, {kernels} kernels in all",
	 .by = "total_ns",
	 .none = "no CUDA graph was replayed there"},
	{0},
};

const struct analysis analysis_graphs = {
	.name = "graphs",
	.title = "CUDA graphs",
	.order = "GPU time",
	.summary = "CUDA graphs: replays, nodes, GPU time and span",
	.example = "gpuwhy graphs trace.sqlite --limit 5",
	.detail = "A replay is one launch of a graph. Its GPU time is the sum over its kernels, "
		  "copies and memsets; its span is from the first start to the last end. Share is "
		  "of all GPU time. Nodes are those of the median replay. With "
		  "--cuda-graph-trace=graph, nsys records whole graphs and the number of nodes is "
		  "unknown. Graph numbers are the export's; without them, all graphs that a thread "
		  "launched count as one.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_GRAPHS),
	.joins = true,
	.options = &table_options,
	.run = run,
	.topics = topics_graphs,
};
