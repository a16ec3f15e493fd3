/*
 * Which calls launched some of the GPU ops. Where a question is about some of millions, this takes
 * one pass over the calls and no more memory than those few, and no pass where the trace has joined
 * all; see trace/calls/launch.h for those.
 */
#ifndef TRACE_PICKED_CALLS_H
#define TRACE_PICKED_CALLS_H

#include "base/saturate.h"
#include "trace/calls/launch.h"

/* The earliest call of an op's process and correlation id. */
struct picked_call {
	int64_t start_ns, duration_ns; /* DURATION_NONE: it never ended */
	uint32_t thread; /* of trace->thread_keys as far as loaded; ID_NONE: of none of them */
	uint32_t row;	 /* in the API events; ID_NONE: there is no call */
};

struct picked_calls {
	const struct trace *trace;
	enum trace_kind kind;
	bool one_process; /* ops name no process: they belong to the only one */
	struct launch_numbers numbers;
	struct picked_call *of_launch;
	struct launches joined; /* where the trace has them already, in place of the others */
};

/*
 * Of the ops of a kind in these rows. Ops without an id, or without a process where there are
 * several, and traces without calls, have none. Whoever asks frees it, also after an error.
 */
int picked_calls_find(struct trace *t, enum trace_kind kind, const uint32_t *rows, size_t count,
		      struct picked_calls *ret, struct err *e);
/*
 * In the same pass: what calls are called, as names_used() says it; to be freed. NULL where no pass
 * was needed, or none could be made.
 */
int picked_calls_find_named(struct trace *t, enum trace_kind kind, const uint32_t *rows,
			    size_t count, struct picked_calls *ret, uint8_t **ret_names,
			    struct err *e);
void picked_calls_free(struct picked_calls *c);

/* The call of an op that was asked for; false: none. Each thread has a cursor of its own. */
bool picked_call_of(const struct picked_calls *c, uint32_t row, struct launch_cursor *cursor,
		    struct picked_call *ret);

/* The later one of its times. */
static inline int64_t picked_call_last(const struct picked_call *c)
{
	return c->duration_ns < 0 ? c->start_ns : sat_add(c->start_ns, c->duration_ns);
}

#endif
