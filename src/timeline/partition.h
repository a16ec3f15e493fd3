/*
 * What each GPU did, as the laws have it: in every instant it computes, or communicates with
 * nothing to compute beside it, or copies with neither; between these it is idle.
 */
#ifndef TIMELINE_PARTITION_H
#define TIMELINE_PARTITION_H

#include "analysis/gpu/timeline.h"
#include "timeline/span_source.h"

struct partition {
	uint32_t device;
	struct span_source spans; /* classes are those of ops: LOOK_COMPUTE, _COMM, _COPY */
};

struct partitions {
	struct partition *all; /* by device */
	size_t count;
};

/* Of the whole capture, whatever the scope's window. */
void partitions_make(const struct ops *o, const struct scope *p, struct partitions *ret);
void partitions_free(struct partitions *p);

#endif
