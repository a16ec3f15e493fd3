/*
 * A lane: events that follow one another and do not overlap. Whatever the window, the time of each
 * class in it is exact, and its longest event and longest gap are found, in a time that grows with
 * the logarithm of how many events there are. The events themselves stay where they are; what is
 * kept here takes at most 4 bytes of each, unless their table has them in no order at all.
 */
#ifndef TIMELINE_LANE_H
#define TIMELINE_LANE_H

#include "base/packed_ids.h"
#include "base/span.h"
#include "base/str.h"
#include "timeline/max_tree.h"

#include <stdbool.h>

enum {
	LANE_CLASSES = 8,
	LANE_BLOCK = 64, /* events that are summed up together */
};

struct lane_event {
	int64_t start_ns, end_ns; /* end ≥ start */
	uint32_t id;		  /* the source's */
	uint8_t class;		  /* < LANE_CLASSES */
};

/*
 * The class of what is told apart by its name alone. One name has one class, in every trace:
 * captures of several ranks can be compared by eye.
 */
static inline uint8_t lane_name_class(struct str name)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < name.len; i++)
		hash = (hash ^ (uint8_t)name.s[i]) * 16777619u;
	return (uint8_t)((hash ^ hash >> 16) % LANE_CLASSES);
}

/* Where events come from. What extends it may hold columns of a trace. */
struct lane_source {
	void (*read)(const struct lane_source *self, const uint32_t *ids, size_t count,
		     struct lane_event *ret);
	bool nests; /* what lies in the time of another is to lie below it */
};

struct lane_block {
	int64_t start_ns;	      /* of its first event */
	int64_t before[LANE_CLASSES]; /* time of each class before it */
};

struct lane {
	const struct lane_source *source;
	struct packed_ids ids; /* in order of time; empty: first_id and those that follow it */
	uint32_t first_id;
	size_t count;
	int64_t shift_ns;	   /* added to the times of the source */
	struct lane_block *blocks; /* one for each LANE_BLOCK events */
	size_t block_count;
	struct max_tree durations; /* the longest of each block */
	struct max_tree gaps;	   /* the longest before an event of each block */
};

/* `ids` is the lane's from here on. The events must follow one another: see lanes_pack(). */
void lane_make(struct lane *l, const struct lane_source *source, uint32_t *ids, uint32_t first_id,
	       size_t count);
void lane_free(struct lane *l);

/* One event, i < count. */
struct lane_event lane_event(const struct lane *l, size_t i);
/* The events of a block; returns how many there are. */
size_t lane_block_events(const struct lane *l, size_t block, struct lane_event ret[LANE_BLOCK]);
/* How many events begin before a moment. */
size_t lane_begun(const struct lane *l, int64_t at_ns);
/* The first event that ends after a moment, or begins then or later; count: none does. */
size_t lane_from(const struct lane *l, int64_t at_ns);
/*
 * The event that a span belongs to, which may begin a little before it: of that at its begin and
 * the next the one that has more of it, of equal ones the first; count: none comes.
 */
size_t lane_around(const struct lane *l, struct span x);
/* All that lies before a moment: the time of each class, and how many events have begun. */
struct lane_past {
	int64_t ns[LANE_CLASSES];
	size_t begun;
};
void lane_past(const struct lane *l, int64_t at_ns, struct lane_past *ret);
/* The longest of the events [begin, end), of equal ones the first; `end`: there are none. */
size_t lane_longest(const struct lane *l, size_t begin, size_t end);
/* The next event from `begin` on, or the last one before `end`, that lasts so long; `end`: none. */
size_t lane_next_long(const struct lane *l, size_t begin, size_t end, int64_t least_ns);
size_t lane_previous_long(const struct lane *l, size_t begin, size_t end, int64_t least_ns);
/*
 * The same of the gaps before events, of which the first has none: each is known by the event that
 * ends it.
 */
size_t lane_longest_gap(const struct lane *l, size_t begin, size_t end);
size_t lane_next_gap(const struct lane *l, size_t begin, size_t end, int64_t least_ns);
size_t lane_previous_gap(const struct lane *l, size_t begin, size_t end, int64_t least_ns);
/* How long before event i nothing went on; -1: it is the first. */
int64_t lane_gap(const struct lane *l, size_t i);

#endif
