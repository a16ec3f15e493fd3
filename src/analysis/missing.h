/*
 * Columns and values that an export lacks and an answer about the GPUs would have used: it is given
 * all the same, and says what is missing, what that means, and how to have it.
 */
#ifndef ANALYSIS_MISSING_H
#define ANALYSIS_MISSING_H

#include "analysis/analysis.h"

/* A warning for each. */
int missing_warn(struct report *r, struct trace *t, struct err *e);

#endif
