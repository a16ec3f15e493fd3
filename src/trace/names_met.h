/*
 * Which names the events of a kind have: one pass over their table that keeps nothing. Of kinds
 * whose names are ids alone: kernels, calls.
 */
#ifndef TRACE_NAMES_MET_H
#define TRACE_NAMES_MET_H

#include "trace/trace.h"

/* By number of trace->names, the last stands for none: 1 where an event is called so. To be freed.
 */
int names_met(struct trace *t, enum trace_kind kind, uint8_t **ret, struct err *e);

#endif
