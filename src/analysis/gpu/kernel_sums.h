/* Exact times of each kernel: several analyses of a report ask for the same ones. */
#ifndef ANALYSIS_KERNEL_SUMS_H
#define ANALYSIS_KERNEL_SUMS_H

#include "analysis/grouping.h"

struct kernel_sums {
	struct group_key *keys; /* by kernel's name, and by what was asked */
	struct summary *sums;
	size_t count;
	uint64_t without_times;
	bool shared; /* they are the trace's */
};

/* What the trace remembers, or else made now. */
int kernel_sums_read(struct trace *t, const struct scope *p, enum group_by by,
		     struct kernel_sums *ret, struct err *e);
void kernel_sums_free(struct kernel_sums *s);
/*
 * Somebody has summed up all kernels that p asks for, by name alone and without a window, and found
 * them on one device: where several analyses ask, the trace remembers copies of that.
 */
void kernel_sums_keep(struct trace *t, const struct scope *p, const struct grouping *by_name,
		      const struct summary *sums, uint32_t device);

#endif
