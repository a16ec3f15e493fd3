/* Two queues followed from one kernel of both, over all gaps, to their ends. */
#ifndef FLEET_QUEUE_WALK_H
#define FLEET_QUEUE_WALK_H

#include "fleet/job/alignment.h"

/*
 * `at`: kernels of both that are the same collectives, and what the clocks are then. False: with
 * gaps, too, the rest contradicts that, or most has no counterpart; then *ret is empty.
 */
bool queue_walk(const struct queue_pair *p, const struct queue_place *at, struct alignment *ret);

#endif
