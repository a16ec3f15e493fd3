/*
 * The steady part of a run: what repeats, without the warm-up in which code is loaded, memory is
 * first allocated and kernels are chosen. Advice about a run is advice about this part.
 */
#ifndef ANALYSIS_STEADY_H
#define ANALYSIS_STEADY_H

#include "analysis/analysis.h"

struct steady {
	bool found;
	int64_t from_ns, to_ns;
	const char
		*how; /* for people: "9 of 10 `iter N`: the first 1 took over twice the median" */
};

/* A trace whose ranges show no steps has no steady part that we could be sure of. */
int steady_find(struct trace *t, const struct scope *p, struct arena *arena, struct steady *ret,
		struct err *e);

#endif
