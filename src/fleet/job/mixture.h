/* Whether captures whose ranks are all different are of one job nevertheless. */
#ifndef FLEET_MIXTURE_H
#define FLEET_MIXTURE_H

#include "fleet/job/instances.h"

/*
 * ERR_INPUT: two communicators that nothing joins have more ranks together than the job has, or
 * they were captured at different times and share no collective. That is refused which cannot be; a
 * job of which captures are missing is not. After clocks_and_instances().
 */
int mixture_check(const struct job *j, const struct instances *x, struct err *e);

#endif
