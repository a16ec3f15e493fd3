/*
 * Which calls launched a few of the kernels. Where a question is about some of millions, this takes
 * one pass over the calls and no more memory than the few; see trace/launch.h for all.
 */
#ifndef TRACE_PICKED_CALLS_H
#define TRACE_PICKED_CALLS_H

#include "trace/trace.h"

/* The earliest call of a kernel's process and correlation id. */
struct picked_call {
	bool found;
	int64_t start_ns;
	uint32_t thread; /* of trace->thread_keys as far as loaded; ID_NONE: of none of them */
};

/*
 * Fills out[i] for the kernel in row rows[i]. Kernels without a process or an id, and traces
 * without calls, have none.
 */
int picked_calls_find(struct trace *t, const uint32_t *rows, size_t count, struct picked_call *out,
		      struct err *e);

#endif
