/*
 * Lags of a replay's stops, which the caller frees, where stages have more or less to do: `more_ns`
 * is by role and step.
 */
#ifndef FLEET_STRAGGLERS_STAGE_LAGS_H
#define FLEET_STRAGGLERS_STAGE_LAGS_H

#include "fleet/stragglers/stragglers.h"

/* All that a rank does in a step takes longer, or shorter, by the same share. */
int64_t *stage_lags_scaled(const struct stragglers *s, const struct stages *stages,
			   const double *more_ns);
/* Where it is less, the longest of them are: a host stands still, once or for each micro-batch. */
int64_t *stage_lags_cut(const struct stragglers *s, const double *more_ns);

#endif
