/*
 * Which push/pop range is on top of a thread's stack, from when on: a list of changes in order of
 * time. Before the first and where no range is open it is RANGE_NONE.
 */
#ifndef TRACE_RANGE_TOPS_H
#define TRACE_RANGE_TOPS_H

#include "trace/ranges.h"

struct range_top {
	int64_t start_ns;
	uint32_t range; /* in the forest; RANGE_NONE: no range is open */
};

struct range_tops {
	struct range_top *tops; /* the first begins at INT64_MIN */
	size_t count, cap;
};

void range_tops_make(const struct range_forest *f, uint32_t thread, struct range_tops *ret);
void range_tops_free(struct range_tops *t);

#endif
