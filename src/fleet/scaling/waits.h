/*
 * Exposed communication, split into waiting for ranks that come later and transferring. All leave a
 * collective together, so who is in it for the shortest time came last, and the others waited for
 * as much longer as they are in it: no clock is needed for that. Where some may leave before others
 * come, clocks tell who came last.
 */
#ifndef FLEET_SCALING_WAITS_H
#define FLEET_SCALING_WAITS_H

#include "fleet/job/instances.h"

/* Of the collectives that begin in a member's window. */
struct member_waits {
	double wait_ns[COLL_TYPES];
	double transfer_ns[COLL_TYPES];
	double unknown_ns; /* of those that not all ranks have, or whose clocks are not known */
};

/* By member; the caller frees it. */
struct member_waits *waits_sum(const struct job *j, const struct instances *x);

#endif
