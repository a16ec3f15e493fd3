/*
 * Steps of which the capture has not all: it ended while the host was ahead, and has the calls
 * that launched their last work, but not that work.
 */
#ifndef DIFF_PARTIAL_STEPS_H
#define DIFF_PARTIAL_STEPS_H

#include "diff/compared_steps.h"

/* How many of the last steps are, by when they are on the host; never all of them. */
size_t partial_steps_count(const struct compared_steps *c, const struct gap_judge *judge,
			   uint32_t process);

#endif
