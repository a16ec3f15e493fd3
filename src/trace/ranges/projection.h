/*
 * NVTX ranges projected onto the GPU: from the first start to the last end of the work launched by
 * calls inside a range, on its thread. The work is kernels, copies and sets; NVIDIA's
 * reports leave launches of whole graphs out, and so does this.
 */
#ifndef TRACE_PROJECTION_H
#define TRACE_PROJECTION_H

#include "trace/ranges/ranges.h"

struct projection {
	int64_t start_ns, end_ns;
	uint32_t launches; /* a graph's counts once; 0: none, and the times mean nothing */
	uint32_t children; /* direct ones with launches */
};

struct projections {
	struct range_forest forest;  /* FOREST_ALL */
	struct projection *of_range; /* by index in the forest */
};

int projections_read(struct trace *t, struct projections *ret, struct err *e);
void projections_free(struct projections *p);

#endif
