/*
 * What steps hand on to the next ones: x(t) = Σ phi(k) x(t - k) + what is new. The coefficients are
 * Yule and Walker's, by Levinson's recursion; how many is told by Akaike's criterion.
 */
#ifndef STATISTICS_AUTOREGRESSION_H
#define STATISTICS_AUTOREGRESSION_H

#include <stddef.h>

enum { AUTOREGRESSION_MOST = 12 };

struct autoregression {
	size_t order;			 /* 0: they hand on nothing, or less than nothing */
	double phi[AUTOREGRESSION_MOST]; /* of the step before, of the one before that, … */
	double kept;			 /* their sum, from 0 to less than 1 */
	double fresh;			 /* the variance of what is new */
	double kept_error;		 /* its standard error, times √n */
};

/*
 * `gamma` are autocovariances by lag, up to `lags`, of n steps that vary. They are corrected for
 * the mean, which follows the steps and so takes some of what they have in common.
 */
struct autoregression autoregression_of(double *gamma, size_t lags, size_t n);

#endif
