/*
 * Kernels summed by name, group of calls after group of calls: the arithmetic of NVIDIA's
 * nvtx_kern_sum. A kernel may be added to a group several times; then its time counts as often, and
 * the kernel once.
 */
#ifndef ANALYSIS_KERNEL_LINES_H
#define ANALYSIS_KERNEL_LINES_H

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
	struct kernel_counter *counter; /* until all is added */
};

/* Of the kernels loaded, `names` by kernel. Those without a duration are left out. */
void kernel_lines_begin(struct kernel_lines *l, const struct trace *t, const uint32_t *names);
void kernel_lines_new_group(struct kernel_lines *l, struct kernel_group group);
/* `range`, which holds the kernel's call, is any number of its own; RANGE_NONE: none does. */
void kernel_lines_add(struct kernel_lines *l, uint32_t kernel, uint32_t range);
/* The lines are complete after this. */
void kernel_lines_end(struct kernel_lines *l);
void kernel_lines_free(struct kernel_lines *l);

#endif
