/* Which values would stand at given places if all were sorted: found without sorting them. */
#ifndef ANALYSIS_NTH_VALUES_H
#define ANALYSIS_NTH_VALUES_H

#include "analysis/numbers/by_group.h"

enum { NTH_MAX = 6 };

/*
 * ret[k] is the value at place[k] < n of the n values in order; places ascend, at most NTH_MAX.
 * All values lie in [min, max]. Takes one pass that counts and, as a rule, one that leaves a few
 * values for all others; long arrays are read by all cores.
 */
void nth_values_find(const struct offsets *values, size_t n, uint64_t min, uint64_t max,
		     const size_t *place, size_t places, uint64_t *ret);

#endif
