/* Do kernels whose communicators are not known fit together as those of one group of ranks? */
#ifndef FLEET_MISFITS_H
#define FLEET_MISFITS_H

#include "fleet/job/instances.h"

/*
 * Kernels that were taken together by name, and show that their ranks are no group: some would lack
 * kernels, though nobody has more. NULL: there are none. `ret_lost`, by member: adds what its
 * capture lacks, as others show; NULL: nobody asks.
 */
const struct part_collective_class *misfits_find(const struct instances *x, uint64_t *ret_lost);

#endif
