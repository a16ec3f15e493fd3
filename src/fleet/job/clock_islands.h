/*
 * Captures whose kernels are matched beyond doubt, directly or by way of others: their clocks are
 * known against each other. Between two islands kernels are matched by guess alone, and clocks are
 * known to whole steps.
 */
#ifndef FLEET_CLOCK_ISLANDS_H
#define FLEET_CLOCK_ISLANDS_H

#include "fleet/job/instances.h"

/* By part: see base/sets.h. The caller frees it. */
uint32_t *islands_find(const struct job *j, const struct instances *x);

/*
 * Captures of one machine have one clock. Where kernels that have nothing but a name in common set
 * them a step apart, some were matched at the wrong step: those that are not where most of their
 * machine are may be wrong by as much, and each of them is an island.
 */
void islands_part_machines(struct job *j);

/* Whether the clocks of some captures are known to whole steps only. */
bool islands_are_apart(const struct job *j);
/* Whether ranks of several islands meet in a class: which of its kernels do is a guess. */
bool islands_share(const struct job *j, const struct instances *x, const struct instance_class *c);

#endif
