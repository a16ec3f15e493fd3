/*
 * What each range takes of a step in each run, with the ranges inside it: "forward / attn" is part
 * of "forward", too. Made in one pass over the leaves, however many ranges there are.
 */
#ifndef GATE_RANGE_TIMES_H
#define GATE_RANGE_TIMES_H

#include "diff/sides.h"
#include "text/strtab.h"

struct range_times {
	struct strtab paths; /* each ends with a zero */
	double *means;	     /* in ns of a step: by path · runs + run, those before first */
	size_t cap, runs;
	uint32_t *sorted; /* numbers of paths, by text */
	struct arena arena;
};

/* For range_times_free(); the sides must outlive it. */
void range_times_make(struct range_times *ret, const struct sides *s);
void range_times_free(struct range_times *t);

#endif
