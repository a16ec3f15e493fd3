/* A trace as a timeline for other tools' viewers. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "analysis/analysis.h"
#include "export/timeline.h"

/* What is left out, and what is put in. */
struct export_options {
	bool no_api, no_nvtx, no_copies, no_flows, no_counters, no_args, no_samples;
	bool gpu_metrics;
};

struct export_counts {
	uint64_t slices, instants, arrows, values, tracks;
	/* What could not be told. */
	uint64_t ops_without_times, calls_without_times;
	int64_t shift_ns; /* was added to every time: none is negative */
	/* Why there are no arrows, no ranges, no GPU work; empty. */
	char no_arrows[1024], no_ranges[1024], no_ops[1024], no_metrics[1024];
};

/*
 * Tells the trace to a writer. What a trace lacks is left out and said in *ret; p->has_iteration
 * has been made a trim.
 */
int export_timeline(struct trace *t, const struct scope *p, const struct export_options *o,
		    const struct timeline_writer *how, struct sink *out, struct export_counts *ret,
		    struct err *e);

#endif
