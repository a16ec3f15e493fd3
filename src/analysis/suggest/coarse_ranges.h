/*
 * Ranges that are too coarse to tell what the GPU worked for: one that lasts over most of the
 * window or is a whole step, and has hardly any GPU work in ranges inside it.
 */
#ifndef ANALYSIS_COARSE_RANGES_H
#define ANALYSIS_COARSE_RANGES_H

#include "analysis/steps/iterations.h"
#include "analysis/suggest/launched.h"
#include "analysis/suggest/user_ranges.h"

/* Sets u->coarse. */
void coarse_ranges_find(const struct launched *l, struct user_ranges *u,
			const struct iterations *steps, struct span window);

#endif
