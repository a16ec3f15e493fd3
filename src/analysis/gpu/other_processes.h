/*
 * What other processes did while the one that is asked about left its GPUs idle: to them that time
 * was none to lose.
 */
#ifndef ANALYSIS_OTHER_PROCESSES_H
#define ANALYSIS_OTHER_PROCESSES_H

#include "analysis/gpu/timeline.h"

/* With --pid: a note, and a table of how much of each GPU's idle time others used, where any did.
 */
int other_processes_report(struct report *r, struct trace *t, const struct scope *p,
			   const struct timeline *l, struct err *e);

#endif
