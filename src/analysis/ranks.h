/* Which values would stand at given places if all were sorted: found without sorting them. */
#ifndef ANALYSIS_RANKS_H
#define ANALYSIS_RANKS_H

#include "analysis/offsets.h"

enum { RANKS_MAX = 6 };

/*
 * ret[k] is the value at place[k] < n of the n values in order; places ascend, at most RANKS_MAX.
 * All values lie in [min, max]. Takes a pass for every eleven bits of max − min; long arrays are
 * read by all cores.
 */
void ranks_find(const struct offsets *values, size_t n, uint64_t min, uint64_t max,
		const size_t *place, size_t places, uint64_t *ret);

#endif
