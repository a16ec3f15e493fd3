/*
 * Push/pop ranges of some names alone, and which of them is innermost at a moment. Unknown names
 * are left out, so that the innermost of these is the innermost that means anything.
 */
#ifndef TRACE_PICKED_RANGES_H
#define TRACE_PICKED_RANGES_H

#include "trace/ranges/innermost.h"

struct range_choice {
	int64_t from_ns, to_ns;				       /* ranges that touch this time */
	int (*wants)(void *ctx, uint32_t name, struct err *e); /* 1: yes, 0: no, < 0: an error */
	void *ctx;
};

struct picked_ranges {
	struct range_forest forest; /* without parents and levels */
	struct innermost innermost;
};

/* A trace without ranges, or without what tells them, has none. */
int picked_ranges_find(struct trace *t, const struct range_choice *choice,
		       struct picked_ranges *ret, struct err *e);
void picked_ranges_free(struct picked_ranges *p);

/* Index in the forest, or RANGE_NONE; a thread that is ID_NONE has no ranges. */
static inline uint32_t picked_ranges_at(const struct picked_ranges *p, uint32_t thread,
					int64_t at_ns)
{
	return thread == ID_NONE || !p->forest.count ? RANGE_NONE
						     : innermost_find(&p->innermost, thread, at_ns);
}

#endif
