/*
 * Which ranks share collectives whose communicators are not known, guessed from the places that
 * labels give them in a mesh: ranks that differ in some axes alone are a group of these axes.
 */
#ifndef FLEET_MESH_GROUPS_H
#define FLEET_MESH_GROUPS_H

#include "analysis/processes/rank_label.h"
#include "base/buf.h"
#include "fleet/part.h"

/* In place of axes: when kernels end tells, and no label (time_groups.h). */
#define MESH_BY_TIME (UINT32_C(1) << MESH_AXES)

/* The kernels of a class on one rank, in order of time. */
struct mesh_queue {
	const struct part_member *member;
	const uint32_t *kernels; /* of its collectives */
	size_t count;
};

/*
 * Queues of kernels that have a name in common. Of all axes, and of all of them together, those are
 * taken whose groups have as many kernels on each rank and leave them together, as far as that can
 * be told without any clock; of several the largest groups. `ret_group`, by queue: queues of one
 * number may belong together, others do not. Returns the axes, a bit for each; 0: labels say
 * nothing, or nothing but that all ranks are one group, and all queues have number 0. Where labels
 * say nothing, groups may be those that leave their kernels together: MESH_BY_TIME.
 */
uint32_t mesh_groups_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group);
/*
 * Queues of sends and receives that have a name in common: whether labels say that there are two
 * stages of a pipeline, and ranks at the same place of both leave theirs together, as nearly as any
 * others do. `ret_group` is as above, of these pairs. Of more stages nobody knows which kernels of
 * a rank are for which neighbour.
 */
bool mesh_pairs_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group);
/* " dp tp" */
void mesh_axes_add(struct buf *b, uint32_t axes);

#endif
