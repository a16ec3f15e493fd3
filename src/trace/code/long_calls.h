/*
 * The long CUDA calls of each thread, a millisecond or more: waits, mostly. A thread that is in one
 * was not in the code before it, nor in what comes after.
 */
#ifndef TRACE_LONG_CALLS_H
#define TRACE_LONG_CALLS_H

#include "base/span.h"
#include "trace/calls/thread_calls.h"

struct long_calls {
	struct span *all; /* thread after thread, in order of time */
	size_t *begin;	  /* of each thread's; one more than threads */
	size_t threads;
};

void long_calls_find(const struct thread_calls *t, struct long_calls *ret);
void long_calls_free(struct long_calls *l);
/*
 * The one that a thread is in at a moment, or the time between two. `near`, 0 at first, is where
 * the last search of the thread ended: the next moment is not far from it, as a rule.
 */
struct span long_calls_around(const struct long_calls *l, uint32_t thread, int64_t at_ns,
			      size_t *near);

#endif
