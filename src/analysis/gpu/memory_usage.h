/* How much memory was in use, by GPU and kind of memory. */
#ifndef ANALYSIS_MEMORY_USAGE_H
#define ANALYSIS_MEMORY_USAGE_H

#include "analysis/analysis.h"

/* Two tables: peak and totals, and use over time; a note where the capture has no allocations. */
int memory_usage_report(struct report *r, struct trace *t, const struct table_args *a,
			struct err *e);

#endif
