/* The step of a member that a kernel is of. */
#ifndef FLEET_KERNEL_STEP_H
#define FLEET_KERNEL_STEP_H

#include "fleet/part.h"

/*
 * The number of the step that launched it, which the GPU may come to steps later; PART_NO_NUMBER:
 * none of the member's.
 */
uint32_t kernel_step(const struct part_member *m, const struct part_collective *k);

#endif
