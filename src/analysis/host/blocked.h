/*
 * How long each thread was in CUDA calls that return only when the GPU is done. Records of one call
 * (a driver's within a runtime's) count once. Nothing is kept of the millions of other calls.
 */
#ifndef ANALYSIS_BLOCKED_H
#define ANALYSIS_BLOCKED_H

#include "analysis/window.h"

struct blocked_thread {
	uint64_t key; /* globalTid */
	int64_t ns;   /* in the window */
	uint64_t calls;
};

struct blocked {
	struct blocked_thread *threads; /* by key */
	size_t count;
	bool known; /* the trace has CUDA calls with threads and names */
};

/* The window and the pid of p apply. */
int blocked_read(struct trace *t, const struct scope *p, struct blocked *ret, struct err *e);
void blocked_free(struct blocked *b);

#endif
