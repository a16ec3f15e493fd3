/* Which NVTX range does each GPU op belong to? */
#include "trace/attribution.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/innermost.h"

#include <stdlib.h>

struct search {
	struct attribution *out;
	struct innermost innermost;
};

static int find_ranges(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct search *s = ctx;
	const struct launches *l = &s->out->launches;

	(void)worker;
	(void)e;
	for (size_t slot = begin; slot < end; slot++) {
		const struct api_call *c = &l->calls[slot];

		s->out->range_of_slot[slot] =
			c->row == ID_NONE
				? RANGE_NONE
				: innermost_find(&s->innermost, l->origins[c->origin].thread,
						 c->start_ns);
	}
	return 0;
}

int attribution_make(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e)
{
	struct search s = {.out = ret};
	struct err never;

	*ret = (struct attribution){0};
	/* Threads get their numbers as they are met: the ranges' come before they are looked up. */
	if (launches_join_kinds(t, kinds, &ret->launches, e) < 0 ||
	    range_forest_build(t, FOREST_PUSH_POP, &ret->forest, e) < 0) {
		attribution_free(ret);
		return -1;
	}
	innermost_make(&ret->forest, t->thread_keys.count, &s.innermost);
	ret->range_of_slot =
		mem_alloc_large(ret->launches.slot_count * sizeof(*ret->range_of_slot));
	parallel_for(ret->launches.slot_count, PARALLEL_ROWS, find_ranges, &s, &never);
	innermost_free(&s.innermost);
	return 0;
}

void attribution_drop_ranges(struct attribution *a)
{
	range_forest_free(&a->forest);
	free(a->range_of_slot);
	a->range_of_slot = NULL;
}

void attribution_free(struct attribution *a)
{
	launches_free(&a->launches);
	attribution_drop_ranges(a);
}
