/* Stretches of time. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include "base/saturate.h"

struct span {
	int64_t start_ns, end_ns;
};

/* Ends before it starts: whatever widens it is all of it. */
#define SPAN_NONE ((struct span){INT64_MAX, INT64_MIN})

static inline void span_widen(struct span *to, struct span by)
{
	if (by.start_ns < to->start_ns)
		to->start_ns = by.start_ns;
	if (by.end_ns > to->end_ns)
		to->end_ns = by.end_ns;
}

static inline struct span span_shift(struct span s, int64_t by_ns)
{
	return (struct span){sat_add(s.start_ns, by_ns), sat_add(s.end_ns, by_ns)};
}

static inline int64_t span_ns(struct span s)
{
	return s.end_ns > s.start_ns ? sat_sub(s.end_ns, s.start_ns) : 0;
}

/* 0 of what ends before it starts. */
static inline int64_t span_middle(struct span s)
{
	return s.end_ns < s.start_ns ? 0 : s.start_ns + span_ns(s) / 2;
}

/* What of one lies in the other; it ends before it starts, or as it starts: nothing does. */
static inline struct span span_common(struct span a, struct span b)
{
	return (struct span){a.start_ns > b.start_ns ? a.start_ns : b.start_ns,
			     a.end_ns < b.end_ns ? a.end_ns : b.end_ns};
}

static inline int64_t span_overlap(struct span a, struct span b)
{
	return span_ns(span_common(a, b));
}

/*
 * For unions, whose spans are met in order of their starts: what this one adds, and how far they
 * reach with it.
 */
static inline int64_t span_beyond(struct span s, int64_t *reached_ns)
{
	const int64_t from_ns = s.start_ns < *reached_ns ? *reached_ns : s.start_ns;

	if (s.end_ns < from_ns)
		return 0;
	*reached_ns = s.end_ns;
	return sat_sub(s.end_ns, from_ns);
}

#endif
