/*
 * What the analyses of one trace share about its NVTX ranges. Where the trace says so
 * (shares_joins), forests, names and folded names are each made once, when they are first asked
 * for, and live as long as the trace; the columns they are made from must stay loaded.
 */
#ifndef TRACE_SHARED_RANGES_H
#define TRACE_SHARED_RANGES_H

#include "trace/ranges/ranges.h"

int shared_forest(struct trace *t, enum forest_kind kind, struct range_forest *ret, struct err *e);
int shared_range_names(struct trace *t, struct range_names *ret, struct err *e);
/* False where there is nothing to share: the caller folds by itself. */
bool shared_folded_ranges(struct trace *t, const struct range_names *n, struct folded_names *ret);
bool shared_folded_names(struct trace *t, struct folded_names *ret);
void shared_ranges_free(struct trace *t);

/* What is shared, or is not, is made by these. */
int range_forest_build_anew(struct trace *t, enum forest_kind kind, struct range_forest *ret,
			    struct err *e);
int range_names_read_anew(struct trace *t, struct range_names *ret, struct err *e);

#endif
