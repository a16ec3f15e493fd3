/* Tables of counters, for answers that are about more. */
#ifndef ANALYSIS_METRIC_TABLES_H
#define ANALYSIS_METRIC_TABLES_H

#include "analysis/analysis.h"
#include "base/span.h"

/* Of each GPU over a window: nothing where the trace has no counters. */
int metrics_of_gpus_report(struct report *r, struct trace *t, const struct scope *p,
			   struct span window, struct err *e);

#endif
