/* The shift between few runs a side, by Student's t. */
#ifndef STATISTICS_WELCH_H
#define STATISTICS_WELCH_H

#include "statistics/estimate.h"

#include <stddef.h>

/* The variance of one run's log mean as it is known from elsewhere. */
struct known_variance {
	double variance;
	double df; /* INFINITY: somebody said so; 0: nothing is known */
};

/* The mean, and the sample variance: 0 for one value. */
double welch_mean(const double *values, size_t n, double *ret_variance);

/*
 * Welch's t of two sides of log run means, at least one of each and three together unless a
 * variance is known; where sides differ in number, no narrower than as if their variances were
 * alike. What is known is pooled with what the runs show; without it, a side of one run borrows the
 * other's variance.
 */
void welch(const double *before, size_t before_count, const double *after, size_t after_count,
	   const struct known_variance *known, struct estimate *ret);

/* The t of differences of pairs, at least two. */
void welch_pairs(const double *differences, size_t n, struct estimate *ret);

#endif
