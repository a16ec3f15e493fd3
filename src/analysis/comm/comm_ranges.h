/* Communication kernels by the NVTX range that launched them. */
#ifndef ANALYSIS_COMM_RANGES_H
#define ANALYSIS_COMM_RANGES_H

#include "analysis/comm/comm_walk.h"

/* Adds the table; ERR_INPUT where the trace has no ranges, or no calls to join them by. */
int comm_ranges_report(struct report *r, struct trace *t, const struct comm_walk *w,
		       const struct row_choice *c, bool no_fold, struct err *e);

#endif
