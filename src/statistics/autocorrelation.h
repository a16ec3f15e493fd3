/*
 * How a series of steps depends on its own past. Steps of one run are no independent samples: a
 * slow step is often followed by another, and a program may do something every fourth step.
 */
#ifndef STATISTICS_AUTOCORRELATION_H
#define STATISTICS_AUTOCORRELATION_H

#include <stddef.h>

struct autocorrelation {
	size_t n;
	size_t lags;   /* the last one that is told */
	double *gamma; /* autocovariance by lag, 0 … lags; owned */
};

/* `centred` has the mean 0. */
struct autocorrelation autocorrelation_of(const double *centred, size_t n);
void autocorrelation_free(struct autocorrelation *a);

/*
 * The block of a circular block bootstrap with the least error of the mean's variance: Politis and
 * White 2004, with the correction of Patton, Politis and White 2009. At least 1.
 */
size_t autocorrelation_block(const struct autocorrelation *a);

/* Every so many steps the series repeats itself, more than by chance, and six times at least; 0: it
 * does not. */
size_t autocorrelation_period(const struct autocorrelation *a);

#endif
