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

/* Groups that were made of one class of kernels; ranks that are in none of them are told elsewhere.
 */
struct group_sizes {
	const struct part_collective_class *is;
	size_t least, most, groups;
	const struct instance_class *first; /* group */
};

/* The caller frees it. */
struct group_sizes *group_sizes_list(const struct instances *x, size_t *ret_count);
/* Whether some class has groups of several sizes, which no mesh has; the first of these. */
bool misfits_uneven(const struct instances *x, struct group_sizes *ret);

/* Either: then who shares collectives is not known. */
bool misfits_any(const struct instances *x);

#endif
