/* --iteration N as a window: from here on an analysis knows nothing of steps. */
#ifndef ANALYSIS_ITERATION_WINDOW_H
#define ANALYSIS_ITERATION_WINDOW_H

#include "analysis/steps/iterations.h"

/*
 * Puts the time of step p->iteration into p->from_ns and to_ns: its own time on GPU and host, or,
 * for questions about the host alone, the host's. Several processes: from the first that begins to
 * the last that ends; with p->pid or p->rank that one's alone. A note says so. ERR_INPUT when there
 * is no such step.
 */
int iteration_window(struct trace *t, struct params *p, bool host_alone, struct report *r,
		     struct err *e);

/* ERR_INPUT: there is no step of that number, and how many there are. */
int iteration_refuse(const struct trace *t, const struct iterations *it, uint64_t number,
		     struct err *e);

#endif
