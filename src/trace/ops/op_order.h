/* When the ops of a kind are, and in which order of time they lie. */
#ifndef TRACE_OP_ORDER_H
#define TRACE_OP_ORDER_H

#include "trace/ops/ops.h"

struct op_order {
	struct op_times times;
	uint32_t *order; /* by start; NULL: as they lie */
	bool shared;	 /* the order is the trace's */
};

/* The times must be loaded. Where the trace uses its cache, who asks again is told the same. */
void op_order_make(struct trace *t, enum trace_kind kind, struct op_order *ret);
/* Adds those of other ops. */
void op_times_add(struct op_times *to, const struct op_times *t);

#endif
