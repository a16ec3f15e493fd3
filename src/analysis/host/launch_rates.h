/* How often work is launched, and whether what is launched is worth a launch. */
#ifndef ANALYSIS_LAUNCH_RATES_H
#define ANALYSIS_LAUNCH_RATES_H

#include "analysis/grouping.h"
#include "analysis/host/launch_list.h"
#include "analysis/line_groups.h"

enum {
	STORM_RATE = 50000,	 /* launches per second … */
	STORM_KERNEL_NS = 10000, /* … with kernels of this median at most; or … */
	STORM_HIGH_RATE = 100000,
	STORM_HIGH_KERNEL_NS = 20000,
	STORM_LAUNCHES = 100, /* fewer, or in less time, are a gust */
	STORM_NS = 1000000,
	TINY_KERNEL_NS = 10000,
};

enum { LAUNCH_UNDERS = 3 }; /* under 5, 10, 20 µs */

/* The launches of one process on one GPU. */
struct launch_rate {
	struct launch_counts all;
	uint64_t kernels; /* launched one by one */
	uint64_t under[LAUNCH_UNDERS];
	double kernel_p50_ns;
};

/* How often each process launches work on each GPU. */
struct launch_rates {
	struct process_gpu_rate {
		struct process_gpu pair;
		struct launch_rate rate;
	} * all;
	size_t count;
	bool shared; /* they are the trace's */
};

/* What the trace remembers, or else made now; `joined` holds kernels and graphs. */
int launch_rates_read(struct trace *t, const struct launches *joined, const struct scope *p,
		      struct launch_rates *ret, struct err *e);
void launch_rates_free(struct launch_rates *r);
/* Launches per second from the first to the last, which ends that time; 0: there is none. */
double launch_rate_per_s(const struct launch_rate *r);
bool launch_rate_is_storm(const struct launch_rate *r);

/*
 * Two tables: launches per second by process and GPU, and the kernels whose median is tiny. `g`
 * groups the kernels by name, or by `lines`; it must not be clipped to the window. `launched` are
 * the times of those of each group that have a call, clipped neither; NULL: the caller does not
 * know.
 */
void launch_rates_report(struct report *r, struct trace *t, const struct grouped_args *a,
			 const struct launch_list *l, const struct grouping *g,
			 const struct line_groups *lines, const struct summary *launched);

#endif
