/* Heading and envelope of answers that are about the GPUs' activity: their window is never "all".
 */
#ifndef ANALYSIS_TIME_WINDOW_H
#define ANALYSIS_TIME_WINDOW_H

#include "analysis/gpu/timeline.h"

void time_window_report(struct report *r, const struct analysis *a, const struct timeline *l,
			const struct scope *p);

/* Says how many ops were left out because they cannot be placed in time. */
void time_window_warn(struct report *r, const struct op_faults *f);

#endif
