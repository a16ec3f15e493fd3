/* The whole diagnosis in prose: what happens, why, what to do, what to look at next. */
#ifndef ASK_ANALYZE_H
#define ASK_ANALYZE_H

#include "analysis/analysis.h"

/* `scope` says about which part of the trace. -1: it cannot be read. */
int analyze_answer(struct trace *t, const struct option_group *options, const void *args,
		   struct report *r, struct err *e);

#endif
