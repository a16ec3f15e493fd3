/*
 * What the profiler recorded of the CPUs: context switches and samples, each with a time, a thread
 * and a number. There may be millions.
 */
#ifndef TRACE_CPU_EVENTS_H
#define TRACE_CPU_EVENTS_H

#include "base/span.h"
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
#define CPU_NO_NUMBER INT64_MIN
/*
 * Of a table with times and threads, whatever it is about, with the number of a column, which may
 * be CPU_NO_NUMBER.
 */
int cpu_events_read(struct trace *t, const char *table, const char *number, struct cpu_events *ret,
		    struct err *e);
/* The same of a table whose rows know their process only: `thread` is its globalPid. */
int process_events_read(struct trace *t, const char *table, const char *number,
			struct cpu_events *ret, struct err *e);

typedef void cpu_span_fn(void *ctx, uint64_t thread, struct span on_cpu);
/* When threads were on a CPU, by their switches: the stretches of each thread in order of time. */
void cpu_switches_walk(const struct cpu_events *switches, cpu_span_fn *take, void *ctx);

void cpu_events_free(struct cpu_events *c);

#endif
