/*
 * Theoretical occupancy: how many warps of a kernel an SM holds at once, of as many as it could,
 * by the size of its blocks, their registers and their shared memory.
 */
#ifndef TIMELINE_FACTS_OCCUPANCY_H
#define TIMELINE_FACTS_OCCUPANCY_H

#include "trace/system/machine.h"

/* How a kernel was launched; INT_NONE: the export does not say. */
struct launch_shape {
	int64_t grid[3], block[3];
	int64_t registers; /* of a thread */
	int64_t static_smem_bytes, dynamic_smem_bytes;
};

struct occupancy {
	bool is_known;
	double pct;
	int64_t sm_blocks;	/* that an SM holds */
	const char *limited_by; /* "registers", … */
};

/*
 * Unknown where the shape or the GPU's limits are, and for GPUs before compute capability 7, whose
 * registers are dealt out otherwise.
 */
void occupancy_find(const struct gpu *gpu, const struct launch_shape *shape, struct occupancy *ret);

#endif
