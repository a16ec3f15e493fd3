/* What do steps hand on to the next ones? */
#include "statistics/autoregression.h"

#include "statistics/portable_math.h"

#include <math.h>
#include <string.h>

/* Nearer to 1 a series has no mean that it returns to. */
static const double MOST_KEPT = 0.995;

/* Levinson's step from `order` coefficients to one more. What is then new; not above 0: no series
 * has such autocovariances. */
static double add_coefficient(const double *gamma, size_t order, double fresh, double *phi)
{
	double next[AUTOREGRESSION_MOST], reflection = gamma[order + 1];

	for (size_t k = 0; k < order; k++)
		reflection -= phi[k] * gamma[order - k];
	reflection /= fresh;
	for (size_t k = 0; k < order; k++)
		next[k] = phi[k] - reflection * phi[order - 1 - k];
	next[order] = reflection;
	memcpy(phi, next, (order + 1) * sizeof(*phi));
	return fresh * (1 - reflection * reflection);
}

static double sum_of(const struct autoregression *a)
{
	double sum = 0;

	for (size_t k = 0; k < a->order; k++)
		sum += a->phi[k];
	return sum;
}

/*
 * The variance of the sum is 1' G⁻¹ 1 / n times what is new, where G are the autocovariances; the
 * inverse is known in closed form (Gohberg and Semencul): squares of partial sums of 1, -phi(1), …
 * from the front, less those from the back.
 */
static double error_of_sum(const struct autoregression *a)
{
	double front = 1, back = 0, sum = 0;

	for (size_t k = 0; k < a->order; k++) {
		back -= a->phi[a->order - 1 - k];
		sum += front * front - back * back;
		front -= a->phi[k];
	}
	return sqrt(fmax(sum, 0));
}

static size_t most_coefficients(size_t lags, size_t n)
{
	size_t most = 1 + n / 20;

	most = most < AUTOREGRESSION_MOST ? most : AUTOREGRESSION_MOST;
	return most < lags ? most : lags;
}

static struct autoregression fit(const double *gamma, size_t most, size_t n)
{
	struct autoregression best = {.fresh = gamma[0]};
	double phi[AUTOREGRESSION_MOST], fresh = gamma[0], least = INFINITY;

	for (size_t order = 1; order <= most; order++) {
		double criterion;

		fresh = add_coefficient(gamma, order - 1, fresh, phi);
		if (!(fresh > 1e-9 * gamma[0]))
			break;
		criterion = (double)n * portable_log(fresh) + 2 * (double)order;
		if (criterion < least) {
			least = criterion;
			best.order = order;
			best.fresh = fresh;
			memcpy(best.phi, phi, order * sizeof(*phi));
		}
	}
	best.kept = sum_of(&best);
	best.kept_error = error_of_sum(&best);
	if (best.kept > MOST_KEPT)
		best.kept = MOST_KEPT;
	return best;
}

struct autoregression autoregression_of(double *gamma, size_t lags, size_t n)
{
	const size_t most = most_coefficients(lags, n);
	struct autoregression a = fit(gamma, most, n);
	const double by_mean = a.fresh / ((1 - a.kept) * (1 - a.kept)) / (double)n;

	for (size_t k = 0; k <= lags; k++)
		gamma[k] += by_mean;
	a = fit(gamma, most, n);
	/* Steps that make up for each other tell the mean better than independent ones; that is
	 * left to blocks, which do not take it on trust. */
	if (a.kept <= 0)
		a = (struct autoregression){.kept_error = 1};
	return a;
}
