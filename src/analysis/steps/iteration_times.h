/*
 * What the GPU did in each step: the parts of a step's own time on the device where its process
 * does the most, to the nanosecond, and what the host did while that device was idle.
 */
#ifndef ANALYSIS_ITERATION_TIMES_H
#define ANALYSIS_ITERATION_TIMES_H

#include "analysis/gpu/gaps.h"
#include "analysis/steps/iterations.h"

struct step_time {
	int64_t ns[SLICE_KINDS]; /* they sum up to the step's own time */
	int64_t idle_ns[BLAMES]; /* they sum up to ns[SLICE_IDLE] */
	struct gap longest;	 /* gap in it; of no length where there is none */
};

struct iteration_times {
	struct step_time *of_step; /* by number in iterations.all */
	uint32_t *device_of_lane;  /* ID_NONE: the process did nothing, or nobody knows where */
	struct op_faults faults;   /* of the ops */
	struct gap_judge judge;	   /* knows the calls and ranges in the gaps */
};

/* Joins the steps with their work, too. p->device, where it is given, is the device looked at. */
int iteration_times_read(struct trace *t, const struct scope *p, struct iterations *it,
			 struct iteration_times *ret, struct err *e);
void iteration_times_free(struct iteration_times *x);

/*
 * For one who walks anyway, with a cursor for each piece: times of the steps that the trace keeps,
 * for others to ask about. NULL: it keeps no steps, or has their times.
 */
struct step_walk *step_walk_begin(const struct ops *o, const struct scope *p,
				  const struct gap_judge *judge, struct gap_cursor *cursors,
				  size_t pieces);
/* How many views there are, one for each process at most; `ret` gets them unless it is NULL. */
size_t step_walk_views(const struct step_walk *w, struct timeline_view *ret);
void step_walk_keep(struct step_walk *w);

#endif
