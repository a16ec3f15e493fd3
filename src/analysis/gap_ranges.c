/* In which NVTX range of the launching thread did each gap lie? */
#include "analysis/gaps.h"
#include "base/parallel.h"
#include "trace/innermost.h"

struct search {
	struct gaps *gaps;
	struct innermost innermost;
};

/* Where a thread waited, or, of one that did not, the middle of what it did before it launched. */
static int64_t telling_ns(const struct gaps *g, const struct gap *gap)
{
	if (gap_waited_ns(gap))
		return gap->start_ns;
	return gap->start_ns + (gap_launch_ns(g, gap) - gap->start_ns) / 2;
}

static int find_ranges(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct search *s = ctx;
	const struct gaps *g = s->gaps;
	size_t near = 0;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		struct gap *gap = &g->all[i];
		struct api_call call;

		if (gap_call(g, gap, &call))
			gap->range = innermost_find_near(
				&s->innermost,
				launches_origin(&g->attribution.launches, &call).thread,
				telling_ns(g, gap), &near);
	}
	return 0;
}

void gaps_find_ranges(struct gaps *g)
{
	struct search s = {.gaps = g};
	struct err never;

	innermost_make(&g->attribution.forest, g->trace->thread_keys.count, &s.innermost);
	parallel_for(g->count, PARALLEL_ROWS, find_ranges, &s, &never);
	innermost_free(&s.innermost);
}
