/*
 * The calls in which the host waited for the GPU, and those that look like it but do not. A call
 * that returns only when the GPU is done is blocking. A launch or an asynchronous copy returns at
 * once, unless the queue is full or host memory is pageable: one that took far longer than is
 * usual was blocked implicitly, for what it took beyond the usual. Usual for a launch is the
 * median of its function in its process; for a copy or a set, where that is less, the median of
 * all calls of the process that should return at once.
 */
#ifndef ANALYSIS_WAITS_H
#define ANALYSIS_WAITS_H

#include "analysis/analysis.h"

enum {
	IMPLICIT_FACTOR = 10,	   /* of the median */
	IMPLICIT_LEAST_NS = 50000, /* and no less than this */
};

enum wait_kind { WAIT_BLOCKING, WAIT_IMPLICIT, WAIT_NONE, WAIT_KINDS };

struct wait {
	int64_t start_ns, end_ns; /* of the call */
	int64_t waited_ns;	  /* inside the window */
	uint32_t thread;	  /* trace->thread_keys, or ID_NONE */
	uint32_t name;
	enum wait_kind kind;
};

struct waits {
	struct wait *items; /* in the order of rows */
	size_t count;
	bool has_threads;	/* the export says who called */
	uint64_t nested;	/* records of a call that lie in another record: left out */
	uint64_t without_times; /* calls whose start or end cannot be read: left out */
};

/* p->trim clips, p->pid and p->device (its threads) filter; what is usual for a function is told
 * from the whole capture. */
int waits_read(struct trace *t, const struct scope *p, struct waits *ret, struct err *e);
void waits_free(struct waits *w);

#endif
