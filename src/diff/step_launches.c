/*
 * How many calls launch the work of the steps, and how many of these launch a whole graph? That is
 * the same whether the capture has the graph's kernels or the graph alone.
 */
#include "base/mem.h"
#include "diff/leaf_source.h"
#include "trace/calls/call_class.h"

#include <stdlib.h>

/* Of kernels and graphs so many per call that is found may be without one. */
enum { LOST_SHARE = 100 };

struct launch_count {
	const struct leaf_source *src;
	bool *is_graph; /* by origin of the launches */
	bool *seen;	/* by launch */
	int64_t calls, graphs;
	uint64_t found, lost; /* kernels and graphs, with their call and without */
};

static bool *find_graph_calls(const struct leaf_source *s)
{
	const struct calls *calls = &s->judge.attribution.launches.calls;
	bool *is_graph = mem_zalloc(calls->origin_count, sizeof(*is_graph));

	for (size_t i = 0; i < calls->origin_count; i++) {
		const uint32_t name = calls->origins[i].name;

		if (name != NAME_NONE)
			is_graph[i] = call_launches_graph(s->trace->names.items[name]);
	}
	return is_graph;
}

static bool is_in_steps(const struct leaf_source *s, enum trace_kind kind, uint64_t row,
			size_t *near)
{
	const struct events *ev = s->ops.lanes[kind].ev;
	const int64_t start_ns = ev->start_ns[row];
	uint32_t process, device;

	if (ev->duration_ns[row] < 0)
		return false;
	ops_place(&s->ops, kind, row, &process, &device);
	if (!scope_has_place(&s->steps.place, s->trace, process, device))
		return false;
	*near = compared_steps_at(&s->steps, start_ns, *near);
	return *near < s->steps.count && start_ns >= s->steps.all[*near].from_ns;
}

/* A graph's kernels have one call, as a kernel of its own has; copies are launched by none. */
static void count_op(struct launch_count *c, enum trace_kind kind, uint64_t row)
{
	const struct attribution *a = &c->src->judge.attribution;
	struct api_call call;
	size_t launch;

	if (!attribution_call(a, kind, row, &call)) {
		c->lost += kind == TRACE_KERNELS || kind == TRACE_GRAPHS;
		return;
	}
	c->found += kind == TRACE_KERNELS || kind == TRACE_GRAPHS;
	launch = a->launches.launch_of_op[a->launches.begin[kind] + row];
	if (c->seen[launch] || c->src->judge.blame_of_launch[call.origin] != BLAME_LAUNCH)
		return;
	c->seen[launch] = true;
	c->calls++;
	c->graphs += c->is_graph[call.origin];
}

void leaf_count_launches(const struct leaf_source *s, struct account *a)
{
	struct launch_count c = {.src = s};

	a->launches = a->graph_launches = -1;
	if (!s->judge.joined)
		return;
	c.is_graph = find_graph_calls(s);
	c.seen = mem_zalloc(s->judge.attribution.launches.launch_count, sizeof(*c.seen));
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = s->ops.lanes[kind].ev;
		size_t near = 0;

		for (uint64_t i = 0; ev->start_ns && i < ev->count; i++) {
			if (is_in_steps(s, (enum trace_kind)kind, i, &near))
				count_op(&c, (enum trace_kind)kind, i);
		}
	}
	if (c.lost * LOST_SHARE <= c.found) {
		a->launches = c.calls;
		a->graph_launches = c.graphs;
	}
	free(c.is_graph);
	free(c.seen);
}
