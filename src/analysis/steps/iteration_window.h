/* --iteration N as a window: from here on an analysis knows nothing of steps. */
#ifndef ANALYSIS_ITERATION_WINDOW_H
#define ANALYSIS_ITERATION_WINDOW_H

#include "analysis/steps/iterations.h"

/* ERR_INPUT: there is no step of that number, and how many there are. */
int iteration_refuse(const struct trace *t, const struct iterations *it, uint64_t number,
		     struct err *e);

#endif
