/*
 * The shift between two samples that a few odd values do not move: the median of all differences
 * between a value of one and a value of the other (Hodges and Lehmann 1963).
 */
#ifndef STATISTICS_HODGES_LEHMANN_H
#define STATISTICS_HODGES_LEHMANN_H

#include <stddef.h>

/* Both ascend and are not empty. Negated to the bit when they change places. */
double hodges_lehmann(const double *before, size_t before_count, const double *after,
		      size_t after_count);
/* Of differences of pairs, in ascending order: the median of the means of any two of them. */
double hodges_lehmann_pairs(const double *differences, size_t n);

#endif
