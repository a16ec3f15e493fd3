/* In which NVTX range of the launching thread did each gap lie? */
#include "analysis/gaps.h"
#include "base/mem.h"
#include "trace/range_tops.h"

#include <stdlib.h>

/* The stretch that holds most of the gap's part before the launch; if that is none, its launch. */
static uint32_t range_of_gap(const struct gaps *g, const struct gap *gap,
			     const struct range_tops *tops, size_t *at)
{
	int64_t to_ns = gap_launch_ns(g, gap), most_ns = -1;
	uint32_t best = RANGE_NONE;

	while (*at + 1 < tops->count && tops->tops[*at + 1].start_ns <= gap->start_ns)
		(*at)++;
	for (size_t i = *at; i < tops->count && tops->tops[i].start_ns <= to_ns; i++) {
		int64_t begin = tops->tops[i].start_ns, end = to_ns;

		if (begin < gap->start_ns)
			begin = gap->start_ns;
		if (i + 1 < tops->count && tops->tops[i + 1].start_ns < to_ns)
			end = tops->tops[i + 1].start_ns;
		if (end - begin > most_ns) {
			most_ns = end - begin;
			best = tops->tops[i].range;
		}
	}
	return best;
}

void gaps_find_ranges(struct gaps *g)
{
	struct gap_lanes lanes;

	gap_lanes_make(g, &lanes);
	for (size_t lane = 0; lane < lanes.count; lane++) {
		struct range_tops tops;
		size_t at = 0;

		range_tops_make(&g->forest, lanes.threads[lane], &tops);
		for (size_t i = lanes.begin[lane]; i < lanes.begin[lane + 1]; i++) {
			struct gap *gap = &g->all[lanes.order[i]];

			gap->range = range_of_gap(g, gap, &tops, &at);
		}
		range_tops_free(&tops);
	}
	gap_lanes_free(&lanes);
}
