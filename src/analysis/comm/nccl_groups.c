/* Which calls of NCCL does the end of a group launch? */
#include "analysis/comm/nccl_groups.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>

static const char group_start[] = "ncclGroupStart", group_end[] = "ncclGroupEnd";

bool nccl_group_is_bound(struct str name)
{
	return str_eq(name, str_of(group_start)) || str_eq(name, str_of(group_end));
}

/* The first of a thread's calls that begins at that moment or later. */
static size_t first_call(const struct range_forest *calls, uint32_t thread, int64_t at_ns)
{
	return BISECT(0, calls->count, i,
		      calls->ranges[i].thread < thread || (calls->ranges[i].thread == thread &&
							   calls->ranges[i].start_ns < at_ns));
}

static struct nccl_group calls_between(const struct range_forest *calls, const struct range *start,
				       const struct range *end)
{
	const size_t first = first_call(calls, start->thread, start->start_ns);
	const size_t beyond = first_call(calls, start->thread, end->start_ns);

	return (struct nccl_group){(uint32_t)first, (uint32_t)(beyond - first)};
}

/* Groups nest. An end without a start is of a group that the capture has not seen begin. */
static void pair_bounds(struct nccl_groups *g, const struct trace *t,
			const struct range_forest *calls)
{
	const uint32_t *names = t->events[TRACE_NVTX].name;
	const struct range *outermost = NULL;
	size_t depth = 0;

	for (size_t i = 0; i < g->bounds.forest.count; i++) {
		const struct range *r = &g->bounds.forest.ranges[i];
		const bool starts = str_eq(trace_name(t, names[r->row]), str_of(group_start));

		if (!i || r->thread != r[-1].thread)
			depth = 0;
		if (starts) {
			outermost = depth ? outermost : r;
			depth++;
		} else if (depth && --depth == 0) {
			g->of_bound[i] = calls_between(calls, outermost, r);
		}
	}
}

int nccl_groups_find(struct trace *t, const struct range_choice *choice,
		     const struct range_forest *calls, struct nccl_groups *ret, struct err *e)
{
	*ret = (struct nccl_groups){0};
	if (picked_ranges_find(t, choice, &ret->bounds, e) < 0)
		return -1;
	ret->of_bound = mem_zalloc(ret->bounds.forest.count, sizeof(*ret->of_bound));
	pair_bounds(ret, t, calls);
	return 0;
}

void nccl_groups_free(struct nccl_groups *g)
{
	picked_ranges_free(&g->bounds);
	free(g->of_bound);
	*g = (struct nccl_groups){0};
}

uint32_t nccl_groups_at(const struct nccl_groups *g, uint32_t thread, int64_t at_ns)
{
	const uint32_t bound = picked_ranges_at(&g->bounds, thread, at_ns);

	return bound != RANGE_NONE && g->of_bound[bound].count ? bound : RANGE_NONE;
}
