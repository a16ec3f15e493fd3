/* Were the captures of a job taken at the same time? */
#ifndef FLEET_TIMES_H
#define FLEET_TIMES_H

#include "fleet/job/instances.h"

/* Two captures that were not, by the clocks of their machines. */
struct times_apart {
	const struct part *a, *b;
	int64_t apart_ns; /* from the end of the one to the beginning of the other */
};

/*
 * After clocks_and_instances(). ERR_INPUT: captures ended before others began, and no communicator
 * is both's whose collectives agree: names of kernels that are the same, and clocks that may be
 * moved until they are over together, are no proof. A capture without UTC contradicts nothing.
 */
int times_check(const struct job *j, const struct instances *x, struct err *e);
/* True: captures that communicators prove to be of one job were taken apart, as UTC has it. */
bool times_are_apart(const struct job *j, struct times_apart *ret);

#endif
