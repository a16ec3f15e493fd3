/* Which NVTX range does each GPU op belong to? */
#include "trace/ranges/attribution.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ranges/innermost.h"
#include "trace/ranges/shared_joins.h"

#include <stdlib.h>

struct search {
	struct attribution *out;
	struct innermost innermost;
};

static int find_ranges(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct search *s = ctx;
	const struct launches *l = &s->out->launches;
	struct innermost_cursor at = {0};

	(void)worker;
	(void)e;
	for (size_t slot = begin; slot < end; slot++) {
		struct api_call c;

		s->out->range_of_slot[slot] =
			launches_slot_call(l, slot, &c)
				? innermost_follow(&s->innermost, launches_origin(l, &c).thread,
						   c.start_ns, &at)
				: RANGE_NONE;
	}
	return 0;
}

int attribution_find_ranges(struct trace *t, struct attribution *a, struct err *e)
{
	struct search s = {.out = a};
	struct err never;

	if (range_forest_build(t, FOREST_PUSH_POP, &a->forest, e) < 0)
		return -1;
	innermost_make(&a->forest, t->thread_keys.count, &s.innermost);
	a->range_of_slot = mem_alloc_large(a->launches.slot_count * sizeof(*a->range_of_slot));
	parallel_for(a->launches.slot_count, PARALLEL_ROWS, find_ranges, &s, &never);
	innermost_free(&s.innermost);
	return 0;
}

int attribution_make(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e)
{
	int result;

	*ret = (struct attribution){0};
	/* Threads get their numbers as they are met: the ranges' come before they are looked up. */
	if (launches_join_kinds(t, kinds, &ret->launches, e) < 0)
		return -1;
	result = ret->launches.shared ? shared_ranges(t, ret, e)
				      : attribution_find_ranges(t, ret, e);
	if (result < 0)
		attribution_free(ret);
	return result;
}

int attribution_make_bare(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e)
{
	*ret = (struct attribution){0};
	if (launches_join_kinds(t, kinds, &ret->launches, e) < 0)
		return -1;
	ret->range_of_slot =
		mem_alloc_large(ret->launches.slot_count * sizeof(*ret->range_of_slot));
	for (size_t slot = 0; slot < ret->launches.slot_count; slot++)
		ret->range_of_slot[slot] = RANGE_NONE;
	return 0;
}

void attribution_drop_ranges(struct attribution *a)
{
	if (!a->shared) {
		range_forest_free(&a->forest);
		mem_free_large(a->range_of_slot);
	}
	a->forest = (struct range_forest){0};
	a->range_of_slot = NULL;
}

void attribution_free(struct attribution *a)
{
	launches_free(&a->launches);
	attribution_drop_ranges(a);
}
