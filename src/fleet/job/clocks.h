/* One clock for all parts of a job, from the collectives that they share. */
#ifndef FLEET_CLOCKS_H
#define FLEET_CLOCKS_H

#include "fleet/job/instances.h"

/*
 * Sets the clock of each part. The first part of those that share the most collectives is the
 * reference; parts that share none with it are set by one that does, and their uncertainties add
 * up. What all collectives say together then narrows them all (clock_paths.h). The others keep UTC,
 * and nothing is known about how wrong it is.
 */
void clocks_set(struct job *j, const struct instances *x);

/*
 * Puts collectives together and sets the clocks by them. What agrees with none at first, as it
 * lacks kernels, is tried again with the clocks that the others have set.
 */
void clocks_and_instances(struct job *j, struct instances *ret);

#endif
