/*
 * How well do the steps of one run tell their own mean?
 *
 * Blocks alone do not keep the promise: for steps with an autocorrelation of 0.9 the best block
 * makes the variance a fifth too small, and an interval of 90 % covers 83 %. So what one step hands
 * on to the next is taken off first, as an autoregression whose coefficient is corrected for its
 * bias (Marriott and Pope 1954); blocks see to what is left, and the result is scaled back. And the
 * variance is an estimate: Student's t, with the degrees of freedom that it really has.
 */
#include "statistics/step_bootstrap.h"

#include "base/mem.h"
#include "statistics/autocorrelation.h"

#include <math.h>
#include <stdlib.h>

/* Nearer to 1 a series has no mean that it returns to. */
static const double MOST_PHI = 0.97;

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

/* Least squares find too little of it, by (1 + 3 phi) / n where the mean is estimated, too. */
static double correlation_of_neighbours(const struct autocorrelation *a)
{
	const double n = (double)a->n, found = a->gamma[1] / a->gamma[0];

	return fmin(fmax((n * found + 1) / (n - 3), 0), MOST_PHI);
}

/* At least the period, and whole ones of it: else blocks differ by the part that they hold. */
static size_t choose_block(const struct autocorrelation *white, size_t period)
{
	const size_t block = autocorrelation_block(white);

	return period ? (block + period - 1) / period * period : block;
}

static double block_variance_of_rest(const double *centred, size_t n, double phi, size_t block)
{
	SCOPED double *rest = mem_alloc(n, sizeof(*rest));
	const size_t count = n - 1;

	for (size_t i = 0; i < count; i++)
		rest[i] = centred[i + 1] - phi * centred[i];
	step_centre(rest, count, rest);
	/* The mean that was taken off follows the steps: of blocks it takes the share block / n. */
	return step_block_variance(rest, count, block) * (double)count / (double)(count - block);
}

/*
 * A variance with relative error e is known as well as by 2 / e² degrees of freedom. The error of
 * phi counts twice over 1 - phi; that of blocks is Bartlett's.
 */
static double degrees_of_freedom(size_t n, double phi, size_t block)
{
	const double by_phi = 4 * (1 + phi) / (1 - phi),
		     by_blocks = fmax(2, 4.0 / 3 * (double)block);

	return 2 * (double)n / (by_phi + by_blocks);
}

static void bootstrap_varied(const double *centred, size_t n, struct step_bootstrap *ret)
{
	struct autocorrelation a = autocorrelation_of(centred, n);
	const size_t period = autocorrelation_period(&a);
	const double phi = correlation_of_neighbours(&a), variance = a.gamma[0];
	size_t block;
	double long_run;

	autocorrelation_whiten(&a, phi);
	block = choose_block(&a, period);
	autocorrelation_free(&a);
	block = block < n / 2 ? block : n / 2;
	long_run = block_variance_of_rest(centred, n, phi, block) / ((1 - phi) * (1 - phi));
	ret->block = (double)block;
	ret->df = degrees_of_freedom(n, phi, block);
	ret->effective = fmin((double)n, ((double)n * variance + long_run) / long_run);
	if (ret->effective >= STEPS_ENOUGH)
		ret->se = sqrt(long_run / (double)n);
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
