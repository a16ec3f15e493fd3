/* One clock for several captures of a job, from the collectives that their ranks share. */
#ifndef FLEET_JOB_TRACE_CLOCKS_H
#define FLEET_JOB_TRACE_CLOCKS_H

#include "traces/traces.h"

/*
 * Sets where the clocks of captures lie that traces_open() has laid by UTC, or by their beginnings.
 * What has no rank yet gets the number that tells its file from the others, as in `fleet`.
 * Captures of which nobody can say that they are ranks of one job keep what they have. `one_job`:
 * ERR_INPUT, as `fleet` says it, where they cannot be: a capture is there twice, or two jobs are.
 */
int trace_clocks_set(struct traces *t, bool one_job, struct err *e);

#endif
