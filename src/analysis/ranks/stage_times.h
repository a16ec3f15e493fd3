/*
 * How much of the communication that each stage of each rank launched is exposed: no compute of the
 * same rank on the same device hides it. On the union of a stage's kernels, so that two streams
 * never count an instant twice; and for each kernel by itself.
 */
#ifndef ANALYSIS_STAGE_TIMES_H
#define ANALYSIS_STAGE_TIMES_H

#include "analysis/ranks/rank_study.h"

struct stage_time {
	uint32_t rank, label; /* rank: index; label: a stage, or LABEL_NONE */
	uint64_t kernels;
	int64_t comm_ns, exposed_ns;	     /* of the union */
	int64_t comm_sum_ns, exposed_sum_ns; /* of each kernel, added up */
	/* Extremes of how much of a kernel is hidden, in percent; < 0: none takes any time. */
	double overlap_min, overlap_max;
	uint64_t barriers;
	int64_t barrier_ns; /* of kernels on streams that compute, which are not in the others */
};

struct stage_times {
	struct stage_time *items; /* each (rank, stage) that communicates */
	size_t count;
	struct stage_time *ranks;  /* by rank: of all its stages, and of none */
	struct stage_time *stages; /* over all ranks: sums of items */
	size_t stage_count;
	struct stage_time all; /* sum of ranks */
};

void stage_times_make(const struct rank_study *s, struct stage_times *ret);
void stage_times_free(struct stage_times *st);

#endif
