/* Whether captures whose ranks are all different are of one job nevertheless. */
#ifndef FLEET_MIXTURE_H
#define FLEET_MIXTURE_H

#include "fleet/job/instances.h"

/*
 * ERR_INPUT: two communicators that nothing joins have more ranks together than the job has; they
 * were captured at different times, as times.h has it; or ranks never meet in many steps. Where
 * names of kernels are all that tells that, other collectives or steps have to say it, too. That is
 * refused which cannot be; a job of which captures are missing is not. After
 * clocks_and_instances().
 */
int mixture_check(const struct job *j, const struct instances *x, struct err *e);
/*
 * Members by the set that they are of: sets have no communicator in common, or share no kernels
 * that may be of one, where no capture tells of communicators. What is not known to be of any may
 * be of each, and joins who has it; where ranks are missing, these may join all. Returns how many
 * sets there are; `ret_set` by member, from 0 on in order of ranks.
 */
uint32_t mixture_sets(const struct job *j, const struct instances *x, uint32_t *ret_set);

/* True: nothing shows that all captures are of one job, though nothing speaks against it. */
bool mixture_is_assumed(const struct job *j, const struct instances *x);

#endif
