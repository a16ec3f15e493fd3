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

/* The stacks of samples: a row for each frame. */
struct cpu_frames {
	size_t count;
	int64_t *sample; /* number of the sample, as cpu_samples_read() has it */
	uint64_t *name;	 /* id in StringIds: of its module, or of its function */
	int64_t *depth;
};

/* An absent table, or one without times or threads, has none. */
int cpu_switches_read(struct trace *t, struct cpu_events *ret, struct err *e);
int cpu_samples_read(struct trace *t, struct cpu_events *ret, struct err *e);
/* The same, with the number by which frames name their sample. */
int cpu_samples_read_numbered(struct trace *t, struct cpu_events *ret, struct err *e);
int cpu_modules_read(struct trace *t, struct cpu_frames *ret, struct err *e);
int cpu_functions_read(struct trace *t, struct cpu_frames *ret, struct err *e);
void cpu_frames_free(struct cpu_frames *f);
void cpu_events_free(struct cpu_events *c);

#endif
