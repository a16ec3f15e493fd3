/*
 * The join of launches and ranges that several analyses of one trace share: where the trace says
 * so (shares_joins), it is made once, for all kinds of GPU work, and lives as long as the trace.
 */
#ifndef TRACE_SHARED_JOINS_H
#define TRACE_SHARED_JOINS_H

#include "trace/ranges/attribution.h"

/* False where nothing is shared, or not of these kinds: then the caller joins by itself. */
bool shared_launches(struct trace *t, unsigned kinds, struct launches *ret);
/* All calls of the trace; false where nothing is shared. */
bool shared_calls(struct trace *t, struct calls *ret);
/* Adds the ranges to shared launches. */
int shared_ranges(struct trace *t, struct attribution *a, struct err *e);
void shared_joins_free(struct trace *t);
/*
 * For an analysis that asks several times: the joins are shared from here on until they are
 * returned, and then only where others shared them before.
 */
bool shared_joins_lend(struct trace *t);
void shared_joins_return(struct trace *t, bool lent);
/* Keeps the calls that launched something; nobody may hold on to the others. */
void shared_joins_forget_calls(struct trace *t);
/* GPU kinds of the trace (bits 1 << kind) that say what launched them. */
unsigned joinable_kinds(const struct trace *t);

/* What is shared, or is not, is made by these. */
int launches_join_anew(struct trace *t, unsigned kinds, bool keep_all_calls, struct launches *ret,
		       struct err *e);
int attribution_find_ranges(struct trace *t, struct attribution *a, struct err *e);

#endif
