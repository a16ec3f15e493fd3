/* What each rank did in each step of the run: the parts of overlap, step by step. */
#ifndef ANALYSIS_COMM_STEPS_H
#define ANALYSIS_COMM_STEPS_H

#include "analysis/comm/comm_walk.h"
#include "analysis/processes/rank_map.h"
#include "analysis/steps/iterations.h"

struct comm_steps {
	struct iterations it;
	struct comm_marks *marks; /* by lane: where each step's own time begins and ends */
};

/* ERR_INPUT, marked absent, where the run shows no steps. Whoever asks frees it. */
int comm_steps_find(struct trace *t, const struct scope *p, struct comm_steps *ret, struct err *e);
void comm_steps_free(struct comm_steps *s);

/* `w` was walked with these marks. */
int comm_steps_report(struct report *r, const struct comm_steps *s, const struct comm_walk *w,
		      const struct rank_map *ranks, const struct table_args *a, struct err *e);

#endif
