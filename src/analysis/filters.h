/*
 * --device and --pid name something of the trace, or there is no answer: a number that nothing in
 * the trace has is refused, everywhere alike, with those that there are.
 */
#ifndef ANALYSIS_FILTERS_H
#define ANALYSIS_FILTERS_H

#include "analysis/analysis.h"

/* ERR_INPUT when no GPU work is of p->device, or no event of p->pid. */
int filters_check(struct trace *t, const struct scope *p, struct err *e);

#endif
