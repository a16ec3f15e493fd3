/* The collectives of a job, as a replay takes them. */
#ifndef FLEET_JOB_REPLAY_H
#define FLEET_JOB_REPLAY_H

#include "analysis/replay/replay.h"
#include "fleet/job/instances.h"

/*
 * Of collectives whose last entry lies in `window`, a time of the job, and that all members of
 * their class have been in on clocks that are known; of some a capture may lack the kernel. Its
 * classes, which are those of the instances, live in the arena.
 */
void job_replay_make(const struct job *j, const struct instances *x, struct span window,
		     struct arena *arena, struct replay *ret);

#endif
