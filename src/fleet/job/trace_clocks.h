/* One clock for several captures of a job, from the collectives that their ranks share. */
#ifndef FLEET_JOB_TRACE_CLOCKS_H
#define FLEET_JOB_TRACE_CLOCKS_H

#include "traces/traces.h"

/*
 * Sets where the clocks of captures lie that traces_open() has laid by UTC, or by their beginnings.
 * Captures that are no ranks of one job keep what they have.
 */
int trace_clocks_set(struct traces *t, struct err *e);

#endif
