/* What one look at each op of a kind tells: where it begins and ends, and whether it is in order.
 */
#ifndef TRACE_OP_LOOK_H
#define TRACE_OP_LOOK_H

#include "trace/ops.h"

struct op_look {
	struct op_faults faults;
	int64_t first_ns, last_ns; /* of those that have times, if any */
	int64_t longest_ns;
	bool any;
	uint32_t *order; /* by start; NULL: as they lie */
	bool shared;	 /* the order is the trace's */
};

/* The times must be loaded. Where the trace shares its joins, who asks again is told the same. */
void op_look_make(struct trace *t, enum trace_kind kind, struct op_look *ret);

#endif
