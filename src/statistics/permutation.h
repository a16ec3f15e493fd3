/*
 * The shift between runs, without a word about how they are distributed: if a change does nothing,
 * labels "before" and "after" could be dealt to the runs in any other way (Fisher, Pitman). All
 * ways are looked at, above ten runs a side 9,999 of them that are drawn.
 *
 * The bounds are the shifts that the test does not reject. No search is needed: dealing k runs of
 * each side to the other makes as large a difference as the one seen from the shift on that is the
 * difference of the means of those k and k; the bounds are places in the order of these (Hartigan's
 * typical values). Of pairs, they are means of subsets of their differences.
 */
#ifndef STATISTICS_PERMUTATION_H
#define STATISTICS_PERMUTATION_H

#include "statistics/estimate.h"

#include <stddef.h>
#include <stdint.h>

enum {
	PERMUTATION_FEWEST = 4,	      /* a side: fewer have too few ways for bounds of 95 % */
	PERMUTATION_FEWEST_PAIRS = 5, /* likewise */
	PERMUTATION_MOST_EXACT = 10,
	PERMUTATION_DRAWS = 9999,
};

void permutation_shift(const double *before, size_t before_count, const double *after,
		       size_t after_count, uint64_t seed, struct estimate *ret);

/* Signs of the differences of pairs are dealt: the same shift if each came the other way round. */
void permutation_pairs(const double *differences, size_t n, uint64_t seed, struct estimate *ret);

#endif
