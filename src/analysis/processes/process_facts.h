/* What each traced process did: kernels, launches, waits, ranges, and how well they are joined. */
#ifndef ANALYSIS_PROCESS_FACTS_H
#define ANALYSIS_PROCESS_FACTS_H

#include "analysis/grouping.h"

struct process_fact {
	uint64_t key; /* globalPid >> 24; the last one of the facts: ops that name no process */
	int64_t kernel_ns;
	uint64_t kernels;
	uint64_t kernels_with_call; /* the launch call is in the trace */
	int64_t in_ranges_ns;	    /* of kernel_ns: launched inside an NVTX range */
	uint64_t launches;	    /* of kernels and graphs, by call and GPU; see launch_list.h */
	int64_t first_ns, last_ns;  /* of these calls */
	bool storm;		    /* on one of its devices */
	int64_t blocked_ns;	    /* its threads in calls that wait for the GPU, summed */
	uint64_t ranges;	    /* NVTX ranges in the window */
};

struct process_facts {
	struct process_fact *items; /* by number in trace->process_keys, and one more */
	size_t count;
	bool has_kernels, has_calls, has_ranges; /* in the trace at all */
};

int process_facts_read(struct trace *t, const struct scope *p, struct process_facts *ret,
		       struct err *e);
void process_facts_free(struct process_facts *f);

/* Launches per second from the first call to the last; 0 where there is no such time. */
double process_launch_rate(const struct process_fact *f);

#endif
