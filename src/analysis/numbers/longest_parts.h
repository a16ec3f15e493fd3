/*
 * The longest of many parts of gaps, calls or ops. Which these are does not depend on the order in
 * which they come: of two that are as long the earlier counts as longer.
 */
#ifndef ANALYSIS_LONGEST_PARTS_H
#define ANALYSIS_LONGEST_PARTS_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A time, and the gap, call or op that it is a part of, or all of. */
struct time_part {
	struct span time, of;
};

static inline struct time_part time_part_all(struct span time)
{
	return (struct time_part){time, time};
}

enum { PARTS_LISTED = 32 };

/* A zeroed one is empty. */
struct longest_parts {
	struct time_part *all; /* of those that were dropped none is longer than any of these */
	size_t count, cap;
	int64_t least_ns; /* what is shorter is dropped */
	uint64_t total;	  /* that were added */
};

/* For longest_parts_add(). */
void longest_parts_keep(struct longest_parts *s, struct time_part one);

/* One without length is no time, and left out. Nearly all of millions are too short. */
static inline void longest_parts_add(struct longest_parts *s, struct time_part one)
{
	const int64_t ns = span_ns(one.time);

	if (ns <= 0)
		return;
	s->total++;
	if (ns >= s->least_ns)
		longest_parts_keep(s, one);
}

void longest_parts_add_all(struct longest_parts *to, const struct longest_parts *from);
/* The longest of them in order of time; those that overlap or touch are one. */
struct part_list {
	struct span all[PARTS_LISTED];
	size_t count;
	uint64_t total;		  /* with those that are not listed */
	struct time_part longest; /* what overlaps or touches it is no part of it, unless it is one
				     of the same gap, call or op */
};

struct part_list longest_parts_list(const struct longest_parts *s);
void longest_parts_free(struct longest_parts *s);

#endif
