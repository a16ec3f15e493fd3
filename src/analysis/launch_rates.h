/* How often work is launched, and whether what is launched is worth a launch. */
#ifndef ANALYSIS_LAUNCH_RATES_H
#define ANALYSIS_LAUNCH_RATES_H

#include "analysis/grouping.h"
#include "analysis/launch_list.h"

enum {
	STORM_RATE = 50000,	 /* launches per second … */
	STORM_KERNEL_NS = 10000, /* … with kernels of this median at most; or … */
	STORM_HIGH_RATE = 100000,
	STORM_HIGH_KERNEL_NS = 20000,
	TINY_KERNEL_NS = 10000,
};

/*
 * Two tables: launches per second by process and GPU, and the kernels whose median is tiny. `g`
 * groups the kernels by name; it must not be clipped to the window.
 */
void launch_rates_report(struct report *r, struct trace *t, const struct params *p,
			 struct launch_list *l, const struct grouping *g);

#endif
