/*
 * The device that bounds the steps of a process: the one where its process does the most work.
 */
#ifndef ANALYSIS_ITERATION_DEVICES_H
#define ANALYSIS_ITERATION_DEVICES_H

#include "analysis/steps/iterations.h"
#include "trace/ops/ops.h"

/*
 * Of each lane the device with the most work, or p->device where that is given; ID_NONE where the
 * export does not say. `busy` is made true where there is any work. `l` may be NULL.
 */
void iteration_devices_choose(const struct ops *o, const struct scope *p,
			      const struct iterations *it, const struct launches *l,
			      uint32_t *device_of_lane, bool *busy);

#endif
