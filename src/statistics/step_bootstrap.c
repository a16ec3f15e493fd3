/*
 * How well do the steps of one run tell their own mean?
 *
 * Blocks alone do not keep the promise: the best block makes the variance too small, and intervals
 * of 90 % cover 85 % of what tests/statistics tries. So what steps hand on to the next ones is
 * taken off first, as an autoregression; blocks see to what is left, and the result is scaled back.
 * One coefficient is too few: of modes that last, in noise, it sees too little, and intervals cover
 * 82 %. And the variance is an estimate: Student's t, with the degrees of freedom that it really
 * has.
 */
#include "statistics/step_bootstrap.h"

#include "base/mem.h"
#include "statistics/autocorrelation.h"
#include "statistics/autoregression.h"

#include <math.h>
#include <stdlib.h>

/* Parts of a steady run differ so much once in ten thousand times (F with 3 degrees of freedom). */
enum { DRIFT_PARTS = 4, DRIFT_TIMES = 8 };

double step_centre(const double *steps, size_t n, double *centred)
{
	const double first = n ? steps[0] : 0;
	double mean = 0, rest = 0;

	/* Differences to the first are small: sums of them lose nothing. */
	for (size_t i = 0; i < n; i++)
		mean += steps[i] - first;
	mean = n ? first + mean / (double)n : 0;
	for (size_t i = 0; i < n; i++) {
		centred[i] = steps[i] - mean;
		rest += centred[i];
	}
	for (size_t i = 0; i < n; i++)
		centred[i] -= rest / (double)n;
	return mean;
}

double step_block_variance(const double *centred, size_t n, size_t block)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < block; i++)
		sum += centred[i];
	for (size_t i = 0; i < n; i++) {
		squares += sum * sum;
		sum += centred[(i + block) % n] - centred[i];
	}
	return squares / (double)n / (double)block;
}

static size_t choose_block(const double *fresh, size_t n, size_t period)
{
	struct autocorrelation a = autocorrelation_of(fresh, n);
	size_t block = autocorrelation_block(&a);

	autocorrelation_free(&a);
	block = block > period ? block : period;
	return block < n / 2 ? block : n / 2;
}

/* The mean square of what the last, broken period adds to the sum, wherever in it a run begins. */
static double broken_period(const double *level, size_t period, size_t left)
{
	double squares = 0;

	for (size_t phase = 0; phase < period; phase++) {
		double sum = 0;

		for (size_t i = 0; i < left; i++)
			sum += level[(phase + i) % period];
		squares += sum * sum;
	}
	return squares / (double)period;
}

/*
 * What comes back every so many steps is no noise: each place of the period has its own level. Left
 * in, it would hide from the rest of the method what else steps have in common. Returns how much
 * variance of the mean it leaves: a run may begin anywhere in the period.
 */
static double take_off_period(double *centred, size_t n, size_t period)
{
	SCOPED double *level = mem_zalloc(period, sizeof(*level));
	double mean = 0, broken;

	for (size_t place = 0; place < period; place++) {
		const size_t rounds = (n - place + period - 1) / period;

		for (size_t i = place; i < n; i += period)
			level[place] += centred[i] / (double)rounds;
	}
	for (size_t i = 0; i < n; i++)
		centred[i] -= level[i % period];
	for (size_t i = 0; i < period; i++)
		mean += level[i] / (double)period;
	for (size_t i = 0; i < period; i++)
		level[i] -= mean;
	broken = broken_period(level, period, n % period);
	return broken / (double)n / (double)n;
}

/* What is new in each step, with the mean 0; the first few have none before them. */
static size_t take_off(const double *centred, size_t n, const struct autoregression *a,
		       double *fresh)
{
	const size_t count = n - a->order;

	for (size_t i = 0; i < count; i++) {
		fresh[i] = centred[i + a->order];
		for (size_t k = 0; k < a->order; k++)
			fresh[i] -= a->phi[k] * centred[i + a->order - 1 - k];
	}
	step_centre(fresh, count, fresh);
	return count;
}

/*
 * A variance with relative error e is known as well as by 2 / e² degrees of freedom. The error of
 * what is handed on counts twice over what is not; that of blocks is Bartlett's.
 */
static double degrees_of_freedom(size_t n, const struct autoregression *a, size_t block)
{
	const double by_kept = 2 * a->kept_error / (1 - a->kept),
		     by_blocks = fmax(2, 4.0 / 3 * (double)block);

	return 2 * (double)n / (by_kept * by_kept + by_blocks);
}

/* The long-run variance of what has no period. */
static double long_run_variance(const double *centred, size_t n, const struct autocorrelation *c,
				size_t period, struct step_bootstrap *ret)
{
	const struct autoregression a = autoregression_of(c->gamma, c->lags, n);
	SCOPED double *fresh = mem_alloc(n, sizeof(*fresh));
	const size_t count = take_off(centred, n, &a, fresh);
	const size_t block = choose_block(fresh, count, period);
	const double variance = step_block_variance(fresh, count, block);

	ret->block = (double)block;
	ret->df = degrees_of_freedom(n, &a, block);
	/* The mean follows the steps: of blocks it takes the share block / n. And coefficients are
	 * ratios of estimates that err together: too small by 2 / n of themselves (Marriott and
	 * Pope 1954). */
	return variance / ((1 - a.kept) * (1 - a.kept)) * (double)count / (double)(count - block) *
	       (1 + 4 * a.kept / ((1 - a.kept) * (double)n));
}

/* The long-run variance as four parts of the run show it: a drift is in nothing shorter. */
static double variance_of_parts(const double *centred, size_t n)
{
	const size_t each = n / DRIFT_PARTS;
	double squares = 0;

	for (size_t part = 0; part < DRIFT_PARTS; part++) {
		double sum = 0;

		for (size_t i = 0; i < each; i++)
			sum += centred[part * each + i];
		squares += sum * sum / (double)each;
	}
	return squares / (DRIFT_PARTS - 1);
}

static void bootstrap_varied(double *centred, size_t n, struct step_bootstrap *ret)
{
	const double steps = (double)n;
	struct autocorrelation c = autocorrelation_of(centred, n);
	const size_t period = autocorrelation_period(&c);
	const double variance = c.gamma[0];
	double long_run, by_parts, by_phase = 0;

	if (period) {
		by_phase = take_off_period(centred, n, period);
		autocorrelation_free(&c);
		c = autocorrelation_of(centred, n);
	}
	long_run = long_run_variance(centred, n, &c, period, ret);
	long_run = long_run * steps / (steps - (double)period) + by_phase * steps;
	autocorrelation_free(&c);
	by_parts = variance_of_parts(centred, n);
	if (by_parts > DRIFT_TIMES * long_run) {
		long_run = by_parts;
		ret->df = DRIFT_PARTS - 1;
	}
	ret->effective = fmin(steps, (steps * variance + long_run) / long_run);
	if (ret->effective >= STEPS_ENOUGH)
		ret->se = sqrt(long_run / steps);
}

void step_bootstrap(const double *steps, size_t n, struct step_bootstrap *ret)
{
	SCOPED double *centred = mem_alloc(n + 1, sizeof(*centred));
	double largest = 0;

	*ret = (struct step_bootstrap){.se = NAN, .df = NAN, .effective = (double)n, .block = 1};
	ret->mean = step_centre(steps, n, centred);
	if (n < STEPS_ENOUGH)
		return;
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, fabs(centred[i]));
	if (largest > 1e-13 * fabs(ret->mean)) {
		bootstrap_varied(centred, n, ret);
	} else {
		ret->se = 0;
		ret->df = (double)n - 1;
	}
}
