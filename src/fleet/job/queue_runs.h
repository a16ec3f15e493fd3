/* The instances of queues that are each aligned with the same one of them. */
#ifndef FLEET_QUEUE_RUNS_H
#define FLEET_QUEUE_RUNS_H

#include "fleet/job/alignment.h"

/*
 * Sets the runs of those queues whose group is `g`, from where they lie against the group's first.
 * What that one lacks and others have gets a number, too; k counts from any.
 */
void queue_runs_make(struct instance_queue *q, const struct alignment *aligned,
		     const uint32_t *group, size_t count, uint32_t g);

#endif
