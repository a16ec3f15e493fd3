/*
 * Which range of a thread is innermost at a moment: of those that hold it, the one that began last,
 * whether ranges nest properly or merely overlap. Any moment may be asked for, in any order, from
 * many threads.
 */
#ifndef TRACE_INNERMOST_H
#define TRACE_INNERMOST_H

#include "trace/ranges/ranges.h"

enum { INNERMOST_LEVELS = 8 };

/* A few bytes beyond the forest, which must outlive it. */
struct innermost {
	const struct range_forest *forest; /* NULL: */
	struct range_forest own;	   /* a copy in which some are never found */
	uint32_t *begin;		   /* of each thread's ranges; thread_count + 1 entries */
	size_t thread_count;
	/* Latest ends: level 0 of runs of ranges, each further level of runs of the one before. */
	int64_t *latest[INNERMOST_LEVELS];
};

void innermost_make(const struct range_forest *f, size_t thread_count, struct innermost *ret);
/* The same of the program's ranges alone: what the profiler put among them is never the answer. */
void innermost_make_program(const struct trace *t, const struct range_forest *f,
			    struct innermost *ret);
void innermost_free(struct innermost *in);
/* The index of the range, or RANGE_NONE. A range holds its start and its end. */
uint32_t innermost_find(const struct innermost *in, uint32_t thread, int64_t at_ns);
/* The same, faster where moments are near those asked for before; *near begins with 0. */
uint32_t innermost_find_near(const struct innermost *in, uint32_t thread, int64_t at_ns,
			     size_t *near);

/* The last answer, and from when to when it holds: nothing begins, and the range does not end. */
struct innermost_cursor {
	int64_t from_ns, to_ns;
	uint32_t thread, found;
	bool valid;
	size_t near;
};

uint32_t innermost_move(const struct innermost *in, uint32_t thread, int64_t at_ns,
			struct innermost_cursor *c);

/* The same, fastest where moments follow one another; a zeroed cursor is at none. */
static inline uint32_t innermost_follow(const struct innermost *in, uint32_t thread, int64_t at_ns,
					struct innermost_cursor *c)
{
	if (c->valid && c->thread == thread && at_ns >= c->from_ns && at_ns <= c->to_ns)
		return c->found;
	return innermost_move(in, thread, at_ns, c);
}

/*
 * Push/pop ranges of some names alone, and which of them is innermost at a moment. Unknown names
 * are left out, so that the innermost of these is the innermost that means anything.
 */
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
