/* Copies by kind of memory and by size. */
#ifndef ANALYSIS_COPIES_H
#define ANALYSIS_COPIES_H

#include "analysis/grouping.h"

/* By group: the bytes of copies or sets; what the window cuts counts in proportion. */
void copies_summarize_bytes(const struct events *ev, const struct grouping *g, struct summary *out);

/* Two tables: by direction and kind of memory at both ends, and by direction and size. */
int copies_report(struct report *r, struct trace *t, const struct table_args *a, struct err *e);

#endif
