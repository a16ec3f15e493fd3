/* One OS call that a thread repeats alone, to the end of the capture: it waits for something. */
#ifndef ANALYSIS_HOST_LOOP_H
#define ANALYSIS_HOST_LOOP_H

#include "trace/trace.h"

struct host_loop {
	uint64_t count; /* 0: there is none */
	uint32_t name;	/* number in trace->names */
	int64_t from_ns, to_ns;
};

/* Of the thread with this globalTid; only what takes most of the capture counts. */
int host_loop_find(struct trace *t, uint64_t thread, struct host_loop *ret, struct err *e);

#endif
