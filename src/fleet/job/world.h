/* How many ranks a job has, and which of them are there. */
#ifndef FLEET_WORLD_H
#define FLEET_WORLD_H

#include "fleet/job/job.h"

/* Sets world, world_known, first_rank and missing of a job whose members are listed. */
void world_find(struct job *j);

#endif
