/* Which graph did each graph launch replay, and what did that take? */
#include "analysis/gpu/replays.h"

#include "analysis/window.h"
#include "base/mem.h"
#include "trace/calls/call_class.h"

#include <stdlib.h>

/* Of the graph of a launch. No id reaches it. */
#define GRAPH_UNSAID (ID_NONE - 1)

enum { ALL_GPU_KINDS = (1u << TRACE_GPU_KINDS) - 1 };

struct reader {
	struct trace *trace;
	const struct scope *p;
	struct launches joined;
	struct places places;
	bool *graph_origin;	   /* by origin: it launches graphs */
	uint32_t *graph_of_launch; /* ID_NONE: launched no graph; NULL: the trace has none at all */
	uint32_t *replay_of_launch;
	struct idmap by_id, by_thread; /* of a process → graph */
	struct replays *out;
};

/* Whether any op may be of a graph: most traces have none, and are not searched. */
static bool find_graph_origins(struct reader *r)
{
	const struct launches *l = &r->joined;
	bool any = r->trace->events[TRACE_GRAPHS].count > 0;

	r->graph_origin = mem_alloc(l->calls.origin_count, sizeof(*r->graph_origin));
	for (size_t i = 0; i < l->calls.origin_count; i++) {
		r->graph_origin[i] =
			call_launches_graph(trace_name(r->trace, l->calls.origins[i].name));
		any |= r->graph_origin[i];
	}
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

	r->graph_of_launch = mem_alloc(count, sizeof(*r->graph_of_launch));
	memset(r->graph_of_launch, 0xff, count * sizeof(*r->graph_of_launch));
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
	replay->gpu_ns = sat_add(replay->gpu_ns, inside_ns);
	if (start_ns < replay->start_ns)
		replay->start_ns = start_ns;
	if (sat_add(start_ns, inside_ns) > replay->end_ns)
		replay->end_ns = sat_add(start_ns, inside_ns);
}

static void take_op(struct reader *r, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &r->trace->events[kind];
	uint32_t place = places_number(&r->places, ev, row);
	int64_t inside_ns;

	if (!r->places.all[place].wanted)
		return;
	if (ev->duration_ns[row] == DURATION_NONE) {
		r->out->without_times++;
		return;
	}
	if (!window_clip(r->p, ev->start_ns[row], ev->duration_ns[row], &inside_ns))
		return;
	r->out->all_ns = sat_add(r->out->all_ns, inside_ns);
	add_op(r, kind, row, r->places.all[place].process, inside_ns);
}

static void collect(struct reader *r)
{
	size_t count = r->graph_of_launch ? r->joined.launch_count : 0;

	r->replay_of_launch = mem_alloc(count, sizeof(*r->replay_of_launch));
	memset(r->replay_of_launch, 0xff, count * sizeof(*r->replay_of_launch));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		for (uint64_t i = 0; i < r->trace->events[kind].count; i++)
			take_op(r, (enum trace_kind)kind, i);
	}
}

static int load(struct reader *r, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_PROCESS) |
				 COL_BIT(COL_DEVICE) | COL_BIT(COL_GRAPH) |
				 launches_columns(r->trace);

	for (int k = 0; k < TRACE_GPU_KINDS; k++) {
		enum trace_kind kind = (enum trace_kind)k;

		if (trace_load(r->trace, kind, columns, e) < 0 ||
		    trace_require_column(r->trace, kind, COL_DURATION, e) < 0)
			return -1;
		if ((r->p->has_device && trace_require_column(r->trace, kind, COL_DEVICE, e) < 0) ||
		    (r->p->has_pid && trace_require_column(r->trace, kind, COL_PROCESS, e) < 0))
			return -1;
	}
	return launches_join_kinds(r->trace, ALL_GPU_KINDS, &r->joined, e);
}

int replays_read(struct trace *t, const struct scope *p, struct replays *ret, struct err *e)
{
	struct reader r = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct replays){0};
	if (load(&r, e) < 0)
		return -1;
	result = places_open(&r.places, t, p, e);
	if (result == 0) {
		if (find_graph_origins(&r))
			find_graphs(&r);
		collect(&r);
	}
	launches_free(&r.joined);
	places_close(&r.places);
	free(r.graph_origin);
	free(r.graph_of_launch);
	free(r.replay_of_launch);
	idmap_free(&r.by_id);
	idmap_free(&r.by_thread);
	return result;
}

void replays_free(struct replays *x)
{
	free(x->items);
	free(x->graphs);
	*x = (struct replays){0};
}
