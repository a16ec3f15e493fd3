/* What one look at each op of a kind tells: where it begins and ends, and whether it is in order.
 */
#ifndef TRACE_OP_LOOK_H
#define TRACE_OP_LOOK_H

#include "trace/ops/ops.h"

struct op_look {
	struct op_times times;
	uint32_t *order; /* by start; NULL: as they lie */
	bool shared;	 /* the order is the trace's */
};

/* The times must be loaded. Where the trace uses its cache, who asks again is told the same. */
void op_look_make(struct trace *t, enum trace_kind kind, struct op_look *ret);
/* Adds those of other ops. */
void op_times_add(struct op_times *to, const struct op_times *t);

#endif
