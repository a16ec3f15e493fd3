/*
 * What the thread that runs the steps does in each range, outside of calls in which it waits for
 * the GPU. The host runs ahead: time that it loses in one range shows on the GPU as idle time in
 * another, where the queue has run dry. So the range that takes longer is told from the host.
 */
#ifndef DIFF_HOST_RANGES_H
#define DIFF_HOST_RANGES_H

#include "diff/compared_steps.h"
#include "diff/step_paths.h"

struct host_range {
	uint32_t path;	  /* see diff/step_paths.h */
	int64_t own_ns;	  /* of all steps, without the ranges inside it */
	int64_t wait_ns;  /* in calls that wait; not a part of it */
	int64_t *of_step; /* its own time in each; NULL: it is too little */
};

struct host_ranges {
	struct host_range *all; /* by path */
	size_t count;
};

/* Where nobody knows the thread, or it has no ranges, there are none. */
void host_ranges_read(struct host_ranges *ret, const struct gap_judge *judge,
		      const struct compared_steps *steps, const struct step_paths *paths);
void host_ranges_free(struct host_ranges *h);

#endif
