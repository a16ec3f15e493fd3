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

/* A graph's kernels have one call, as a kernel of its own has; copies are launched by none. */
void launch_count_op(const struct launch_count *c, struct launch_sums *sums, enum trace_kind kind,
		     uint64_t row)
{
	const struct attribution *a = &c->src->judge.attribution;
	const bool is_work = kind == TRACE_KERNELS || kind == TRACE_GRAPHS;
	struct api_call call;
	size_t launch;

	if (!c->seen)
		return;
	if (!attribution_call(a, kind, row, &call)) {
		sums->lost += is_work;
		return;
	}
	sums->found += is_work;
	if (c->src->judge.blame_of_launch[call.origin] != BLAME_LAUNCH)
		return;
	launch = a->launches.launch_of_op[a->launches.begin[kind] + row];
	if (__atomic_exchange_n(&c->seen[launch], true, __ATOMIC_RELAXED))
		return;
	sums->calls++;
	sums->graphs += c->is_graph[call.origin];
}

void launch_count_open(struct launch_count *c, const struct leaf_source *s)
{
	*c = (struct launch_count){.src = s};
	if (!s->judge.joined)
		return;
	c->is_graph = find_graph_calls(s);
	c->seen = mem_zalloc(s->judge.attribution.launches.launch_count, sizeof(*c->seen));
}

void launch_count_add(struct launch_count *c, const struct launch_sums *sums)
{
	c->sums.calls += sums->calls;
	c->sums.graphs += sums->graphs;
	c->sums.found += sums->found;
	c->sums.lost += sums->lost;
}

void launch_count_close(struct launch_count *c, struct account *a)
{
	const bool known = c->seen && c->sums.lost * LOST_SHARE <= c->sums.found;

	a->launches = known ? c->sums.calls : -1;
	a->graph_launches = known ? c->sums.graphs : -1;
	free(c->is_graph);
	free(c->seen);
}
