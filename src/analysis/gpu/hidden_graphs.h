/* Whole-graph launches hide their kernels: shares of what is left mislead. */
#ifndef ANALYSIS_HIDDEN_GRAPHS_H
#define ANALYSIS_HIDDEN_GRAPHS_H

#include "analysis/analysis.h"

/* Warns where the trace has such launches, with their time and the flag that shows the kernels. */
int warn_of_hidden_graphs(struct trace *t, struct report *r, struct err *e);

#endif
