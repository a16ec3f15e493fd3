/*
 * Kernels of many ranks together: all durations of all of them, so that counts, sums, percentiles
 * and deviations are those that one file with all ranks in it would have, to the digit.
 */
#ifndef FLEET_KERNEL_MERGE_H
#define FLEET_KERNEL_MERGE_H

#include "analysis/numbers/summary.h"
#include "fleet/part.h"

/* Puts count, sum and sum of squares of a kernel together from its durations. */
void part_kernel_sum(struct part_kernel *k);

struct merged_kernel {
	const char *name; /* of the parts */
	bool communicates;
	uint32_t members;	/* that ran it */
	struct summary summary; /* of all of them */
};

/* By total time, the largest first, then by name. */
struct kernel_merge {
	struct merged_kernel *all;
	size_t count;
};

/* Of all members of all parts; for kernel_merge_free(). */
void kernel_merge_make(struct kernel_merge *ret, const struct part *const *parts, size_t count);
void kernel_merge_free(struct kernel_merge *m);

#endif
