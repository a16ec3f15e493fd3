/*
 * Which ranks do the same as which? The stages of a pipeline do not: what one of them takes before
 * its collectives says nothing about the others.
 */
#ifndef FLEET_ROLES_H
#define FLEET_ROLES_H

#include "fleet/job/instances.h"

/*
 * By member the number of its role, from 0 on: ranks that communicators connect, but for those of
 * all ranks, those that two of a pair send through, and those that such a pair are members of.
 * Where no other is there, all have one role. The caller frees it.
 */
uint32_t *roles_make(const struct job *j, const struct instances *x, uint32_t *ret_count);

#endif
