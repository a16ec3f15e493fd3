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

struct overhead_span {
	int64_t start_ns, end_ns;
	int64_t before_ns; /* of the thread's spans before it, together */
	uint32_t thread;   /* number in trace->thread_keys; ID_NONE: not said, or not met */
};

/* Its work in each thread that the trace has met: spans in order of time, apart from each other. */
struct overheads {
	struct overhead_span *spans;
	size_t *begin; /* of each thread's; one more than threads */
	size_t threads;
};

int overheads_read(struct trace *t, struct overheads *ret, struct err *e);
void overheads_free(struct overheads *o);

/* A stretch in which a thread has none, as found for one who asks again and again. */
struct overhead_pause {
	uint32_t thread;
	int64_t from_ns, to_ns;
};

/* The one around a time; an empty one where the profiler is at work. */
struct overhead_pause overheads_pause(const struct overheads *o, uint32_t thread, int64_t at_ns);
/* How long it had been at work already, at a time; 0: it was not. */
int64_t overheads_lasting_ns(const struct overheads *o, uint32_t thread, int64_t at_ns);
/* How long it was, between two times. */
int64_t overheads_ns(const struct overheads *o, uint32_t thread, int64_t from_ns, int64_t to_ns);

/* The profiler writes down what it has when a context was made, whoever made it. */
struct context_mark {
	int64_t at_ns;
	uint32_t thread; /* number in trace->thread_keys */
};

/* In an array of the caller's, in no order; marks of threads that the trace has not met are left
 * out. */
int context_marks_read(struct trace *t, struct context_mark **ret, size_t *ret_count,
		       struct err *e);

#endif
