/* How many launches wait for their GPU, over time. */
#ifndef ANALYSIS_QUEUE_DEPTH_H
#define ANALYSIS_QUEUE_DEPTH_H

#include "analysis/host/launch_list.h"

/*
 * A table of steps of time for each GPU. A launch waits from the start of its call to the start
 * of its first op; without a trim the steps go from the first call to the last such start.
 */
void queue_depth_report(struct report *r, const struct table_args *a, const struct launch_list *l);

#endif
