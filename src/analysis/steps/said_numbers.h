/*
 * What the names of steps count: of "epoch 1 step 17" the number that grows by one from each step
 * to the next. It is the program's own, and the same in all captures of a job.
 */
#ifndef ANALYSIS_SAID_NUMBERS_H
#define ANALYSIS_SAID_NUMBERS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SAID_NUMBERS = 4 }; /* of a name that are looked at */

struct said_numbers {
	uint32_t first[SAID_NUMBERS];
	bool off[SAID_NUMBERS]; /* it counts something else */
	size_t count;		/* steps */
};

/* In order of the steps. */
void said_numbers_add(struct said_numbers *s, struct str name);
/* Of the first step; UINT32_MAX: no number of all names counts them. */
uint32_t said_numbers_first(const struct said_numbers *s);

#endif
