/* Steps that a question names or leaves out, as one stretch of time. */
#ifndef ASK_STEP_WINDOW_H
#define ASK_STEP_WINDOW_H

#include "ask/question/question.h"
#include "base/span.h"
#include "trace/trace.h"

/*
 * From when to when the steps go that are meant. 1: they are no one stretch, others lie between
 * them, or the trace has no steps. -1: there is no such step, or reading was given up.
 */
int step_window_find(struct trace *t, const struct question *q, struct span *ret, struct err *e);

struct step_bounds {
	uint32_t first, last;
};

/* The numbers of the first step and the last. 1: the trace has no steps. */
int step_window_bounds(struct trace *t, struct step_bounds *ret, struct err *e);

#endif
