/* Kernels by the source line that launched them. */
#ifndef ANALYSIS_KERNEL_LINES_H
#define ANALYSIS_KERNEL_LINES_H

#include "analysis/analysis.h"

/* ERR_INPUT, marked absent, where no CUDA call has a backtrace. */
int kernel_lines_report(struct trace *t, const struct table_args *a, struct report *r,
			struct err *e);

#endif
