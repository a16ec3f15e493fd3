/* Source code in answers that are about more. */
#ifndef ANALYSIS_CODE_REPORT_H
#define ANALYSIS_CODE_REPORT_H

#include "analysis/analysis.h"

/* The lines with the most idle time, 0: all; nothing where no thread was sampled. */
int code_top_report(struct report *r, struct trace *t, const struct scope *p, uint64_t lines,
		    struct err *e);
/*
 * The stacks as a tree, under the title of `self`, by GPU time launched where that is known;
 * `limit` of its nodes, 0: all. False: no thread was sampled, and no CUDA call has a backtrace;
 * then nothing is added.
 */
int code_tree_report(const struct analysis *self, struct trace *t, const struct scope *p,
		     uint64_t limit, struct report *r, bool *ret, struct err *e);

#endif
