/* Where a mean and a median disagree: how many steps alone make the difference? */
#ifndef STATISTICS_DRIVING_STEPS_H
#define STATISTICS_DRIVING_STEPS_H

#include <stddef.h>

/*
 * The fewest steps, the most telling first, without which the mean of `slower` is not above that of
 * `faster` times `usual`. Both ascend.
 */
size_t driving_steps(const double *faster, size_t faster_count, const double *slower,
		     size_t slower_count, double usual);

#endif
