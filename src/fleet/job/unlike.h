/* Do two ranks run the same program at the same pace? */
#ifndef FLEET_UNLIKE_H
#define FLEET_UNLIKE_H

#include "base/buf.h"
#include "fleet/part.h"

/*
 * True: their collectives or steps are not those of one job, and *why says in words what is
 * different: "the first has 4 AllReduce a step, the second 3".
 */
bool unlike_find(const struct part_member *a, const struct part_member *b, struct buf *why);

#endif
