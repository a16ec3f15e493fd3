/* The collectives that ranks of a job are in at the end, and who does not come to them. */
#ifndef FLEET_HANG_WAITS_H
#define FLEET_HANG_WAITS_H

#include "fleet/job/hang.h"

/* Fills waits, inside and absent. */
void hang_find_waits(const struct job *j, const struct instances *x, struct hang *ret);

#endif
