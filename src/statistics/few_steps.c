/*
 * How far may the mean of few steps be from that of the run?
 *
 * Steps that hang together make the mean less sure than as many independent ones would, and look
 * more alike than they are. How much they keep of the step before, ten steps do not tell: they are
 * taken to keep 0.95 of it, and the mean is no surer than one step in any case. Of five to thirty
 * steps that keep so much, without a change, 5 to 8 % are then called different; of those that keep
 * 0.9, 1 to 2 %; of independent ones hardly any. (Taken to keep 0.8, it would be 20 % of five steps
 * that keep 0.9, and 33 % where they keep 0.95.)
 */
#include "statistics/few_steps.h"

#include "base/mem.h"
#include "statistics/step_bootstrap.h"

#include <math.h>

enum { FEWEST = 2 };
static const double KEPT = 0.95;

/* The variance of the mean of n steps that keep so much, over what they show as that of a step. */
static double variance_ratio(size_t n)
{
	const double steps = (double)n;
	double kept = 1, alike = 0;

	for (size_t lag = 1; lag < n; lag++) {
		kept *= KEPT;
		alike += kept * (steps - (double)lag) * 2 / (steps * (steps - 1));
	}
	return (1 + (steps - 1) * alike) / (steps * (1 - alike));
}

struct few_steps few_steps_bound(const double *ns, size_t n, double effective)
{
	SCOPED double *centred = mem_alloc(n + 1, sizeof(*centred));
	const double mean = step_centre(ns, n, centred);
	double squares = 0;

	if (n < FEWEST)
		return (struct few_steps){NAN, NAN};
	for (size_t i = 0; i < n; i++)
		squares += centred[i] * centred[i];
	/* A drift makes the mean less sure than a step. */
	return (struct few_steps){
		.variance = squares / (double)(n - 1) / (mean * mean) * fmax(1, variance_ratio(n)) /
			    fmin(1, effective - 1),
		.df = fmax(fmax(1, fmin(2, (double)(n - 1) / 2)), (effective - 1) / 2),
	};
}
