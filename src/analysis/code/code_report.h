/* Source code in answers that are about more. */
#ifndef ANALYSIS_CODE_REPORT_H
#define ANALYSIS_CODE_REPORT_H

#include "analysis/analysis.h"

/* The lines with the most idle time, 0: all; nothing where no thread was sampled. */
int code_top_report(struct report *r, struct trace *t, const struct scope *p, uint64_t lines,
		    struct err *e);

#endif
