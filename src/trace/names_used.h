/*
 * Which names the events of a kind have: one pass over their table that keeps nothing. Of kinds
 * whose names are ids alone: kernels, calls.
 */
#ifndef TRACE_NAMES_USED_H
#define TRACE_NAMES_USED_H

#include "trace/trace.h"

/* By number of trace->names, the last stands for none: 1 where an event is called so. To be freed.
 */
int names_used(struct trace *t, enum trace_kind kind, uint8_t **ret, struct err *e);

/* For those who read the table anyway, once names are loaded: how many bytes that takes, */
static inline size_t names_used_size(const struct trace *t)
{
	return t->names.count + 1;
}
/* and what to do with its values; many threads may do so at once. */
void names_mark_used(const struct trace *t, const struct sqlite_values *v, size_t rows,
		     uint8_t *used);

#endif
