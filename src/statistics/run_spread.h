/*
 * How far are runs of one program apart? The spread of log run means less what the noise of their
 * own steps adds to it (an analysis of variance by components): what compare_runs() adds is the
 * steps of the very runs that it compares.
 */
#ifndef STATISTICS_RUN_SPREAD_H
#define STATISTICS_RUN_SPREAD_H

#include "statistics/run.h"

struct run_spread {
	double sd;	 /* of log run means: 0.01 is one percent; NAN: fewer than two runs */
	double of_means; /* … with the noise of their steps: how far the means are apart; NAN: one
			    run */
	size_t runs;	 /* with steps */
};

struct run_spread run_spread_of(const struct run_steps *runs, size_t count);

#endif
