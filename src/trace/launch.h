/*
 * The launch join: which CUDA API call launched which GPU op. A launch is (process, correlationId),
 * never correlationId alone. API rows that launched nothing are not kept, so that the join of a
 * long trace needs no more memory than its kernels.
 */
#ifndef TRACE_LAUNCH_H
#define TRACE_LAUNCH_H

#include "base/saturate.h"
#include "trace/slots.h"
#include "trace/trace.h"

/* Who called what: few distinct ones, whatever the number of calls. */
struct call_origin {
	uint32_t thread; /* trace->thread_keys */
	uint32_t name;	 /* raw, with its version */
};

struct api_call {
	int64_t start_ns;
	int64_t duration_ns;
	uint32_t origin; /* launches.origins */
	uint32_t row;	 /* in the API events; ID_NONE: no call has been found */
};

static inline int64_t api_call_end(const struct api_call *c)
{
	return sat_add(c->start_ns, c->duration_ns);
}

/*
 * Distinct (process, correlationId) pairs of the ops are slots. A slot's call is the earliest
 * one; further calls with the same pair (a driver call beneath a runtime call, or two
 * records of one call) are in `more`, by slot and row.
 */
struct launches {
	/* By op; SLOT_NONE: it has no correlation id. Op i of a kind is at begin[kind] + i. */
	uint32_t *slot_of_op;
	unsigned kinds; /* joined: bits 1 << kind; others have no ops here */
	uint64_t begin[TRACE_GPU_KINDS];
	uint64_t op_count;
	struct api_call *calls; /* by slot */
	size_t slot_count;
	struct call_origin *origins;
	size_t origin_count;
	struct api_call *more;
	uint32_t *more_slot;
	size_t more_count;
};

/* Joins the ops of a GPU kind (kernels, copies, …). An export without API rows joins nothing. */
int launches_join(struct trace *t, enum trace_kind kind, struct launches *ret, struct err *e);
/* The same for several kinds (bits 1 << kind) in one pass over the calls. */
int launches_join_kinds(struct trace *t, unsigned kinds, struct launches *ret, struct err *e);
void launches_free(struct launches *l);

/* The call that launched op i, or NULL. */
static inline const struct api_call *launches_call(const struct launches *l, uint64_t op)
{
	uint32_t slot = l->slot_of_op[op];

	return slot == SLOT_NONE || l->calls[slot].row == ID_NONE ? NULL : &l->calls[slot];
}

#endif
