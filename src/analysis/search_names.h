/* Kernels and calls are many, their names few: where none of them is meant no row is. */
#ifndef ANALYSIS_SEARCH_NAMES_H
#define ANALYSIS_SEARCH_NAMES_H

#include "base/pattern.h"
#include "trace/trace.h"

/*
 * Takes kernels and calls off `kinds` (NEEDS bits) where no name of theirs matches. A table is read
 * as seldom as can be: of kernels with all that a hit may show, of calls only the names, which are
 * not kept.
 */
int search_drop_strangers(struct trace *t, struct pattern *pattern, unsigned *kinds, struct err *e);

#endif
