/* Threads and streams, the lanes of a timeline, that are called so. */
#ifndef ANALYSIS_SEARCH_LANES_H
#define ANALYSIS_SEARCH_LANES_H

#include "analysis/window.h"
#include "base/pairs.h"
#include "text/pattern.h"
#include "trace/system/machine.h"

/* What happened in a thread or a stream. */
struct lane_sum {
	uint64_t key; /* thread key, or device << 32 | stream */
	uint32_t process;
	uint64_t events;
	struct span span;
};

/* A zeroed struct is empty and valid. */
struct lane_sums {
	struct pairs homes; /* process, upper half of the key */
	struct pairs index; /* home, lower half */
	struct lane_sum *all;
	size_t count, cap;
};

void lane_sums_free(struct lane_sums *x);

/* Every stream: best asked while what it needs of kernels is loaded anyway. */
int search_find_streams(struct trace *t, const struct scope *p, struct lane_sums *ret,
			struct err *e);
/* A table of those of some types (bits, see search_types.h) that are called so, where any are. */
int search_lanes_report(struct report *r, struct trace *t, const struct scope *p, uint64_t limit,
			unsigned types, struct pattern *pattern,
			const struct host_names *host_names, const struct lane_sums *streams,
			struct err *e);

#endif
