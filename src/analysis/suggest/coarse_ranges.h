/*
 * Ranges that are too coarse to tell what the GPU worked for: one that lasts over most of the
 * window, is a whole step, or is around steps. What is launched in it, and in no range inside it,
 * is named by nothing.
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
