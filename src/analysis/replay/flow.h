/*
 * Whether ranks that send to each other pass work on, as stages of a pipeline do, or exchange the
 * edges of what all of them compute. A stage computes between what it gets from one neighbour and
 * what it gives to the other; edges go to both at once. A rank's own clock tells.
 */
#ifndef ANALYSIS_FLOW_H
#define ANALYSIS_FLOW_H

#include "analysis/replay/replay.h"

/* By class what is known of pairs; the caller frees it. Before visits are put in order of time. */
enum replay_flow *flow_find(const struct replay *r);

#endif
