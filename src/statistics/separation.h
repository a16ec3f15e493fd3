/* Two runs whose steps lie apart, all of one beyond all of the other: how far at least. */
#ifndef STATISTICS_SEPARATION_H
#define STATISTICS_SEPARATION_H

#include "statistics/estimate.h"
#include "statistics/run.h"

#include <stdbool.h>

/*
 * False: the steps overlap, or lie no further apart than chance may put them. `run_sd` is how far
 * runs are known to be apart, with so many degrees of freedom; 0 if nobody knows.
 */
bool separation_bound(const struct run *a, const struct run *b, double run_sd, double run_sd_df,
		      struct estimate *ret);

#endif
