/*
 * Which calls launched a few of the kernels. Where a question is about some of millions, this takes
 * one pass over the calls and no more memory than the few; see trace/launch.h for all.
 */
#ifndef TRACE_PICKED_CALLS_H
#define TRACE_PICKED_CALLS_H

#include "base/saturate.h"
#include "trace/trace.h"

/* The earliest call of a kernel's process and correlation id. */
struct picked_call {
	bool found;
	int64_t start_ns, duration_ns; /* DURATION_NONE: it never ended */
	uint32_t thread; /* of trace->thread_keys as far as loaded; ID_NONE: of none of them */
};

/*
 * Fills out[i] for the kernel in row rows[i]. Kernels without an id, or without a process where
 * there are several, and traces without calls, have none.
 */
int picked_calls_find(struct trace *t, const uint32_t *rows, size_t count, struct picked_call *out,
		      struct err *e);

/* The later one of its times. */
static inline int64_t picked_call_last(const struct picked_call *c)
{
	return c->duration_ns < 0 ? c->start_ns : sat_add(c->start_ns, c->duration_ns);
}

#endif
