/*
 * Which ranks share collectives whose communicators are not known, where labels say nothing either:
 * those that leave them together, and not when others do. No clock is needed for that.
 */
#ifndef FLEET_TIME_GROUPS_H
#define FLEET_TIME_GROUPS_H

#include "fleet/mesh_groups.h"

/*
 * Queues of kernels that have a name in common, by rank. `ret_group`, by queue: its group, from 0
 * on. Returns how many there are; 1: all are one as far as that can be told, as they are where
 * exits vary so much that they tell nothing.
 */
uint32_t time_groups_find(const struct mesh_queue *q, size_t count, uint32_t *ret_group);

#endif
