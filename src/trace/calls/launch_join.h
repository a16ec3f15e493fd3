/* The launch join while it is made: the ops are numbered first, then the calls are read. */
#ifndef TRACE_LAUNCH_JOIN_H
#define TRACE_LAUNCH_JOIN_H

#include "trace/calls/launch.h"

struct launch_join {
	struct trace *trace;
	struct launches *out;
	bool one_process; /* some ops name no process: they belong to the only one */
	struct launch_numbers numbers;
	/* Of launch_calls.c. */
	struct place *places; /* one per worker */
	struct call_origins origins;
	pthread_mutex_t lock; /* of what follows, and of overflow values */
	struct extra *extras;
	size_t extra_count, extra_cap;
};

/* Loads the ops of out->kinds and says which launch each is of. */
int launch_join_ops(struct launch_join *j, struct err *e);

#endif
