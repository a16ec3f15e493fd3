/* Threads and streams that are called so. */
#ifndef ANALYSIS_SEARCH_PLACES_H
#define ANALYSIS_SEARCH_PLACES_H

#include "analysis/window.h"
#include "base/pairs.h"
#include "text/pattern.h"
#include "trace/system/machine.h"

enum {
	PLACE_THREADS = 1 << 0,
	PLACE_STREAMS = 1 << 1,
};

/* What happened in a place. */
struct place_sum {
	uint64_t key; /* thread key, or device << 32 | stream */
	uint32_t process;
	uint64_t events;
	struct span span;
};

/* A zeroed struct is empty and valid. */
struct place_sums {
	struct pairs homes; /* process, upper half of the key */
	struct pairs index; /* home, lower half */
	struct place_sum *all;
	size_t count, cap;
};

void place_sums_free(struct place_sums *x);

/* Every stream: best asked while what it needs of kernels is loaded anyway. */
int search_find_streams(struct trace *t, const struct scope *p, struct place_sums *ret,
			struct err *e);
/* A table of those that are called so, where there are any. */
int search_places_report(struct report *r, struct trace *t, const struct scope *p, uint64_t limit,
			 unsigned places, struct pattern *pattern,
			 const struct host_names *host_names, const struct place_sums *streams,
			 struct err *e);

#endif
