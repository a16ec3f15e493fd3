/*
 * Which kernels were launched inside the NVTX ranges of each name. A kernel belongs to all ranges
 * around the call that launched it, on the call's thread, not just to the innermost.
 */
#ifndef ANALYSIS_RANGE_KERNELS_H
#define ANALYSIS_RANGE_KERNELS_H

#include "analysis/kernel_names.h"
#include "trace/ranges/ranges.h"

/* What the lines of a group have in common: ranges of one name and style, and their thread. */
struct kernel_group {
	uint32_t name;	 /* NAME_NONE: calls inside no range */
	uint32_t type;	 /* of the ranges' events */
	uint32_t thread; /* ID_NONE: kernels whose call is not known */
};

struct kernel_line {
	struct kernel_group group;
	uint32_t kernel;		    /* its name */
	uint32_t range_count, kernel_count; /* different ones */
	uint32_t last_range;		    /* while they are counted */
	int64_t total_ns, min_ns, max_ns;
	double mean_ns, median_ns, stddev_ns;
};

struct kernel_lines {
	struct kernel_line *lines;
	size_t count, cap;
};

struct range_kernels {
	struct range_names names;
	struct kernel_lines lines; /* in no order */
};

/* To be freed whether this fails or not. */
int range_kernels_read(struct trace *t, const struct naming_args *n, struct range_kernels *ret,
		       struct err *e);
void range_kernels_free(struct range_kernels *k);

#endif
