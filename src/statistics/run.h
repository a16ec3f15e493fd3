/* The steps of one run, and what they say about its mean. */
#ifndef STATISTICS_RUN_H
#define STATISTICS_RUN_H

#include "statistics/step_bootstrap.h"

#include <stdbool.h>
#include <stddef.h>

/* Steps of one run, in order. */
struct run_steps {
	const double *ns;
	size_t count;
};

struct run {
	double *ns; /* those that are durations; owned */
	size_t count;
	double log_mean;
	struct step_bootstrap spread;
	double step_variance; /* of log_mean, by its steps; NAN: too few */
	/* The same; of few steps a bound on it, and how well that is known. NAN: it is one step. */
	double bound_variance, bound_df;
};

/* False: no duration in it, or all are 0; nothing to free then. */
bool run_read(const struct run_steps *steps, struct run *ret);
void run_free(struct run *r);

#endif
