/*
 * What the profiler recorded of the CPUs: context switches and samples, each with a time, a thread
 * and a number. There may be millions.
 */
#ifndef TRACE_CPU_EVENTS_H
#define TRACE_CPU_EVENTS_H

#include "trace/trace.h"

struct cpu_events {
	size_t count; /* of rows whose time and thread can be read */
	int64_t *start_ns;
	uint64_t *thread; /* globalTid */
	int64_t *number;  /* a switch: whether in; a sample: cycles since the one before */
};

/* An absent table, or one without times or threads, has none. */
int cpu_switches_read(struct trace *t, struct cpu_events *ret, struct err *e);
int cpu_samples_read(struct trace *t, struct cpu_events *ret, struct err *e);
void cpu_events_free(struct cpu_events *c);

#endif
