/*
 * Which threads launched work on a GPU. Calls and ranges are of a thread and name no device: those
 * of a device are the ones of these threads.
 */
#ifndef TRACE_DEVICE_THREADS_H
#define TRACE_DEVICE_THREADS_H

#include "trace/calls/launch.h"

struct device_threads {
	bool *launched; /* by number in trace->thread_keys, as of the reading */
	size_t count;
};

/* ERR_INPUT where the trace does not have the launches. */
int device_threads_read(struct trace *t, uint32_t device, struct device_threads *ret,
			struct err *e);
void device_threads_free(struct device_threads *d);

static inline bool device_threads_has(const struct device_threads *d, uint32_t thread)
{
	return thread < d->count && d->launched[thread];
}

#endif
