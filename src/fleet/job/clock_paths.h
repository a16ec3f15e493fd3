/*
 * Clocks held against all others at once. A rank that comes to each collective first, and waits
 * long for the reference, says little about its clock against that; but those that it exchanges
 * something with shortly before do, and their clocks are known. All that can be said about offsets
 * is that nobody leaves before the last has entered: differences with an upper bound, of which the
 * shortest paths are what they allow.
 */
#ifndef FLEET_CLOCK_PATHS_H
#define FLEET_CLOCK_PATHS_H

#include "fleet/job/instances.h"

/*
 * Narrows clocks that are set, and moves those that lie outside of what is allowed. What
 * contradicts them is left out; where that leads to nothing that is allowed, they stay as they are.
 */
void clocks_tighten(struct job *j, const struct instances *x, uint32_t reference);

#endif
