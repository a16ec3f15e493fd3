/* What `code` answers with besides its table of places. */
#ifndef ANALYSIS_CODE_REPORT_H
#define ANALYSIS_CODE_REPORT_H

#include "analysis/code/code_times.h"
#include "trace/code/places.h"
#include "trace/system/machine.h"

/*
 * Stacks as a tree, by the idle time of each; `limit` of its nodes, 0: all. The times must live as
 * long as the report.
 */
void code_tree_report(struct report *r, const struct trace *trace, const struct code_times *c,
		      const struct host_names *names, uint64_t limit);

/*
 * The lines with the most idle time, for answers that are about more: nothing where no thread was
 * sampled.
 */
int code_top_report(struct report *r, struct trace *t, const struct scope *p, uint64_t lines,
		    struct err *e);

#endif
