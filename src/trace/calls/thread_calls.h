/*
 * The calls of each thread, one after another: what a thread was doing at any moment. A call
 * inside another of its thread (old exports have a driver's within the runtime's) is left out, and
 * so is one whose times or thread cannot be read.
 */
#ifndef TRACE_THREAD_CALLS_H
#define TRACE_THREAD_CALLS_H

#include "trace/calls/calls.h"

struct thread_calls {
	const struct calls *calls;
	uint32_t *order; /* calls, thread after thread by start; NULL: as they lie */
	size_t *begin;	 /* of each thread's; one more than threads */
	size_t threads;
};

/* Whether they are one thread's, and none overlaps or lies inside another: the usual case. */
bool thread_calls_lie_in_order(const struct calls *c, size_t threads);
/* `calls` must outlive it. */
void thread_calls_make(const struct calls *c, size_t threads, struct thread_calls *ret);
void thread_calls_free(struct thread_calls *t);

static inline size_t thread_calls_at(const struct thread_calls *t, size_t place)
{
	return t->order ? t->order[place] : place;
}

/*
 * The place of the first call of the thread that begins after at_ns, or the end of its calls.
 * *near is where the last search ended, which makes the next one quick; it begins with 0.
 */
size_t thread_calls_after(const struct thread_calls *t, uint32_t thread, int64_t at_ns,
			  size_t *near);

#endif
