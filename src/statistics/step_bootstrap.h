/*
 * How well do the steps of one run tell their own mean? A circular block bootstrap (Politis and
 * Romano 1992) of prewhitened steps (Andrews and Monahan 1992).
 *
 * Its variance is worked out, not drawn: of a mean, what infinitely many draws would give is the
 * variance of the sums of all blocks, which takes one pass. It has no noise of its own, and no
 * seed.
 */
#ifndef STATISTICS_STEP_BOOTSTRAP_H
#define STATISTICS_STEP_BOOTSTRAP_H

#include <stddef.h>

/* With fewer effective steps no interval is worth its name. */
#define STEPS_ENOUGH 8

struct step_bootstrap {
	double mean;
	double se;	  /* of the mean; NAN: too few steps */
	double df;	  /* how well `se` itself is known, as degrees of freedom */
	double effective; /* independent steps that would tell the mean as well */
	double block;	  /* steps */
};

void step_bootstrap(const double *steps, size_t n, struct step_bootstrap *ret);

/* The mean, and the same numbers less it in `centred`. */
double step_centre(const double *steps, size_t n, double *centred);

/* The long-run variance of `centred` by its circular blocks of `block`. */
double step_block_variance(const double *centred, size_t n, size_t block);

#endif
