/* What each thread did: on the CPU, in CUDA calls, in NVTX ranges. */
#ifndef ANALYSIS_THREAD_FACTS_H
#define ANALYSIS_THREAD_FACTS_H

#include "analysis/window.h"
#include "trace/calls/device_threads.h"

struct thread_fact {
	uint64_t key; /* globalTid */
	bool has_switches;
	int64_t cpu_ns; /* on a CPU, by context switches */
	uint64_t samples;
	int64_t cycles;	 /* of its samples */
	int64_t cuda_ns; /* in CUDA calls; one inside another counts once */
	uint64_t calls, launches;
	int64_t blocked_ns; /* of that, waiting for the GPU */
	int64_t nvtx_ns;    /* in push/pop ranges; one inside another counts once */
	uint64_t ranges;    /* outermost ones */
};

struct thread_facts {
	const struct trace *trace;
	struct device_threads of_device; /* where a device is asked for */
	struct thread_fact *all;	 /* by key */
	size_t count, cap;
	struct idmap by_key;
	bool has_switches, has_samples, has_calls, has_waits, has_ranges;
	uint64_t samples; /* of all threads, whichever process is asked about */
	int64_t cycles;
};

/*
 * Threads of p->pid, with p->device those that launched work on it, that did something inside the
 * window. Is freed whether this fails or not.
 */
int thread_facts_read(struct trace *t, const struct scope *p, struct thread_facts *ret,
		      struct err *e);
void thread_facts_free(struct thread_facts *f);

#endif
