/* Of ranks in one capture, and of the devices of one process, those that bound the steps. */
#ifndef DIFF_BOUNDING_PLACE_H
#define DIFF_BOUNDING_PLACE_H

#include "analysis/steps/iterations.h"
#include "diff/op_groups.h"

/* Of lanes that communicate and have as many steps as the main one, that with the longest steps
 * beside communication; the main one where it does not communicate. */
size_t bounding_lane(const struct iterations *it, const struct ops *o, const struct op_groups *g);
/* Of the devices of a process that communicate that with most work beside; `busiest` where that
 * does not communicate. */
uint32_t bounding_device(uint32_t process, uint32_t busiest, const struct ops *o,
			 const struct op_groups *g);

#endif
