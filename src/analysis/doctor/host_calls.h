/* The CUDA calls of a capture without GPU work, and what became of them. */
#ifndef ANALYSIS_HOST_CALLS_H
#define ANALYSIS_HOST_CALLS_H

#include "analysis/scope.h"

struct host_calls {
	uint64_t calls;
	uint64_t launches; /* that succeeded; of copies and sets, too */
	uint64_t failed;   /* calls of any kind */
	uint64_t failed_launches;
};

struct host_calls_found {
	struct host_calls asked; /* what the scope asks about */
	struct host_calls all;	 /* the whole capture */
	int64_t error; /* of all: the most frequent of launches that failed, else of other calls */
};

/* Whether something is in the window, and of a process that is asked about. */
bool host_is_asked(const struct scope *s, const struct trace *t, uint32_t thread, int64_t start_ns,
		   int64_t duration_ns);
int host_calls_count(struct trace *t, const struct scope *s, struct host_calls_found *ret,
		     struct err *e);

#endif
