/* What a CUDA call launched. */
#ifndef TIMELINE_FACTS_LAUNCHED_H
#define TIMELINE_FACTS_LAUNCHED_H

#include "timeline/op_source.h"
#include "trace/calls/launch.h"

struct launched {
	size_t count;	  /* ops; 0: none, or nobody knows */
	uint32_t first;	  /* op_id() of the one that began first */
	int64_t gpu_ns;	  /* of all of them */
	int64_t start_ns; /* of the first */
};

/* By the row of the call. Times of ops must be loaded. */
void launched_find(const struct launches *l, const struct trace *t, uint32_t call_row,
		   struct launched *ret);

#endif
