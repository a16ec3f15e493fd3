/*
 * Whether steps launch about as much, and whether the kernels that repeat are a step on both sides:
 * in a capture of one step those of a layer repeat, and in a longer one those of a step.
 */
#ifndef DIFF_SAME_PERIOD_H
#define DIFF_SAME_PERIOD_H

#include "diff/account.h"

bool steps_launch_alike(const struct account *a, const struct account *b);

/*
 * Of two runs whose steps are repetitions of kernels, or that have none but windows. Those of one
 * program launch about as much, or else, as a compiler fuses kernels, those that stay as often as
 * before.
 */
bool periods_are_alike(const struct account *a, const struct account *b);

/* How many GPU ops a step launches. */
double ops_of_step(const struct account *a);

#endif
