/* How long does a step's trace in the steps after it last? */
#include "statistics/autocorrelation.h"

#include "base/mem.h"
#include "statistics/portable_math.h"

#include <math.h>
#include <stdlib.h>

/* Of a million steps 64 lags take a twentieth of a second. */
enum { MOST_LAGS = 256, FEWEST_LAGS = 64, MOST_PRODUCTS = 64000000, QUIET_LAGS = 5, ROUNDS = 6 };

/* Four sums side by side, in an order that no compiler may change. */
static double sum_products(const double *x, const double *y, size_t n)
{
	double sum[4] = {0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		for (size_t k = 0; k < 4; k++)
			sum[k] += x[i + k] * y[i + k];
	}
	for (; i < n; i++)
		sum[0] += x[i] * y[i];
	return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

static size_t most_lags(size_t n)
{
	const size_t most = MOST_PRODUCTS / n;

	return most > MOST_LAGS ? MOST_LAGS : most < FEWEST_LAGS ? FEWEST_LAGS : most;
}

struct autocorrelation autocorrelation_of(const double *centred, size_t n)
{
	struct autocorrelation a = {.n = n};

	/* Twice the square root and some: what the rule for the block may ask for. */
	a.lags = 2 * (size_t)sqrt((double)n) + 2 * QUIET_LAGS + 1;
	a.lags = a.lags > most_lags(n) ? most_lags(n) : a.lags;
	a.lags = a.lags < n ? a.lags : n - 1;
	a.gamma = mem_alloc(a.lags + 1, sizeof(*a.gamma));
	for (size_t k = 0; k <= a.lags; k++)
		a.gamma[k] = sum_products(centred, centred + k, n - k) / (double)n;
	return a;
}

void autocorrelation_free(struct autocorrelation *a)
{
	free(a->gamma);
	a->gamma = NULL;
}

/* What |rho| seldom exceeds by chance at one of several lags: Politis and White's band. */
static double band_of(const struct autocorrelation *a)
{
	const double n = (double)a->n;

	return 2 * sqrt(portable_log(n) / M_LN10 / n);
}

/* The last lag before several in a row that chance explains. */
static size_t last_loud_lag(const struct autocorrelation *a)
{
	const double band = band_of(a) * a->gamma[0];
	size_t quiet = 0;

	for (size_t k = 1; k <= a->lags; k++) {
		quiet = fabs(a->gamma[k]) < band ? quiet + 1 : 0;
		if (quiet == QUIET_LAGS)
			return k - QUIET_LAGS;
	}
	return a->lags / 2;
}

/* The window of Politis and Romano: 1 up to a half, then falling to 0. */
static double flat_top(double x)
{
	return x <= 0.5 ? 1 : x < 1 ? 2 * (1 - x) : 0;
}

static size_t longest_block(size_t n)
{
	const double by_root = 3 * sqrt((double)n), by_share = (double)n / 3;

	return (size_t)fmax(1, ceil(fmin(by_root, by_share)));
}

size_t autocorrelation_block(const struct autocorrelation *a)
{
	size_t wide = 2 * last_loud_lag(a);
	double level, slope = 0, block;

	wide = wide < 2 ? 2 : wide > a->lags ? a->lags : wide;
	if (!a->lags || !(a->gamma[0] > 0))
		return 1;
	level = a->gamma[0];
	for (size_t k = 1; k <= wide; k++) {
		const double weighted = 2 * flat_top((double)k / (double)wide) * a->gamma[k];

		level += weighted;
		slope += (double)k * weighted;
	}
	if (!(level > 0))
		return longest_block(a->n);
	/* The third root of 2 G² n / D, where D = 4/3 g(0)² for circular blocks. */
	if (slope == 0)
		return 1;
	block = portable_exp(portable_log(1.5 * (slope / level) * (slope / level) * (double)a->n) /
			     3);
	return (size_t)fmin(fmax(1, ceil(block - 0.5)), (double)longest_block(a->n));
}

size_t autocorrelation_period(const struct autocorrelation *a)
{
	const double band = band_of(a) * a->gamma[0];
	double dip = a->gamma[0], best = band;
	size_t period = 0;

	for (size_t k = 1; k + 1 <= a->lags && k <= a->n / ROUNDS; k++) {
		const double here = a->gamma[k];

		dip = fmin(dip, here);
		/* A peak that rises out of a valley: what fades away has none. Multiples of a
		 * period are hardly higher than it. */
		if (k >= 2 && here > a->gamma[k - 1] && here >= a->gamma[k + 1] &&
		    here - dip > band && here > best * 1.1) {
			best = here;
			period = k;
		}
	}
	return period;
}
