/*
 * The time that recording itself took. An export mixes three things under this name: the profiler's
 * own work, work of CUDA that it observed (module loading, a full command buffer), and libraries
 * being loaded under its eyes. Only the first is overhead.
 */
#ifndef TRACE_OVERHEAD_H
#define TRACE_OVERHEAD_H

#include "trace/trace.h"

/* How long the profiler was at work, in any thread, between two times. */
int overhead_measure(struct trace *t, int64_t from_ns, int64_t to_ns, int64_t *ret_ns,
		     struct err *e);

#endif
