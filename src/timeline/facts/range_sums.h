/* GPU work of each push/pop range: of all ops that were launched in it and in ranges inside it. */
#ifndef TIMELINE_FACTS_RANGE_SUMS_H
#define TIMELINE_FACTS_RANGE_SUMS_H

#include "timeline/track_set.h"
#include "trace/ranges/attribution.h"

struct range_sum {
	int64_t gpu_ns; /* of ops, whatever runs beside them */
	uint32_t ops, kernels;
};

/* By range of the forest; for free(). Of the GPUs and processes that the set's scope has. */
struct range_sum *range_sums_make(const struct track_part *part, const struct attribution *of);

#endif
