/* Kernels and calls are many, their names few: where none of them is meant no row is. */
#ifndef ANALYSIS_SEARCH_NAMES_H
#define ANALYSIS_SEARCH_NAMES_H

#include "text/pattern.h"
#include "trace/trace.h"

/*
 * Takes the kind, kernels or calls, off `kinds` (NEEDS bits) where no name of its events matches.
 * `met`: their names, where somebody has them (see names_used()); NULL: they are looked for.
 */
int search_drop_strangers(struct trace *t, enum trace_kind kind, struct pattern *pattern,
			  const uint8_t *met, unsigned *kinds, struct err *e);

#endif
