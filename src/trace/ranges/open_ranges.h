/*
 * The ranges of a thread that are open as time goes on, and which of them is innermost around an
 * interval. In a proper stack that is the one on top. Ranges of different domains, and start/end
 * ranges, may overlap without nesting: NVIDIA's reports then mean two different things.
 */
#ifndef TRACE_OPEN_RANGES_H
#define TRACE_OPEN_RANGES_H

#include <stddef.h>
#include <stdint.h>

#define RANGE_NONE UINT32_MAX

struct open_range {
	int64_t start_ns, end_ns;
	uint32_t number;
};

/* A zeroed struct is empty and valid. */
struct open_ranges {
	struct open_range *items; /* by start */
	size_t count, cap;
};

void open_ranges_clear(struct open_ranges *o);
/* Ranges must be entered in order of their start. */
void open_ranges_enter(struct open_ranges *o, struct open_range r);
/*
 * The number of the innermost range around [start, end], or RANGE_NONE: the shortest that holds
 * it, or the one that began last. Intervals must come in order of their start, after the ranges
 * that begin no later.
 */
uint32_t open_ranges_find_shortest(struct open_ranges *o, int64_t start_ns, int64_t end_ns);
uint32_t open_ranges_find_latest(struct open_ranges *o, int64_t start_ns, int64_t end_ns);
void open_ranges_free(struct open_ranges *o);

#endif
