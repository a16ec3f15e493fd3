/* When did each rank leave its collectives? */
#include "analysis/replay/replay_left.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static int by_leave(const void *a, const void *b, void *ctx)
{
	const struct replay *r = ctx;
	const struct replay_stop *x = &r->stops[*(const uint32_t *)a];
	const struct replay_stop *y = &r->stops[*(const uint32_t *)b];

	return (x->is.leave_ns > y->is.leave_ns) - (x->is.leave_ns < y->is.leave_ns);
}

void replay_left_make(const struct replay *r, struct replay_left *ret)
{
	ret->stops = mem_alloc(r->stop_count, sizeof(*ret->stops));
	ret->first = mem_zalloc(r->member_count + 2, sizeof(*ret->first));
	for (size_t i = 0; i < r->stop_count; i++)
		ret->first[r->stops[i].is.member + 2]++;
	for (size_t i = 0; i < r->member_count; i++)
		ret->first[i + 2] += ret->first[i + 1];
	for (uint32_t i = 0; i < r->stop_count; i++)
		ret->stops[ret->first[r->stops[i].is.member + 1]++] = i;
	for (size_t i = 0; i < r->member_count; i++)
		sort_stable(ret->stops + ret->first[i], ret->first[i + 1] - ret->first[i],
			    sizeof(*ret->stops), by_leave, (void *)r);
}

size_t replay_left_by(const struct replay *r, const struct replay_left *l, uint32_t member,
		      int64_t at_ns)
{
	return BISECT(l->first[member], l->first[member + 1], at,
		      r->stops[l->stops[at]].is.leave_ns <= at_ns);
}

void replay_left_free(struct replay_left *l)
{
	free(l->stops);
	free(l->first);
}
