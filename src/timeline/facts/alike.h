/*
 * Which events are of one name, wherever they are: kernels of one name on all streams and GPUs that
 * the scope has, copies of one direction, calls of one function, ranges of one name
 * but for its counter, all steps. Of the whole capture, whatever the window.
 */
#ifndef TIMELINE_FACTS_ALIKE_H
#define TIMELINE_FACTS_ALIKE_H

#include "timeline/facts/durations.h"
#include "timeline/track_set.h"

enum {
	ALIKE_KEPT = 8,	      /* names */
	ALIKE_MOST = 4000000, /* durations of kept names, but for the last */
};

/* Events of one name. */
struct alike_name {
	bool is_made;
	enum track_kind track;
	enum trace_kind kind; /* of ops */
	uint32_t key;
	struct durations durations;
};

/* The names that were asked for last: the next event is often of one of them. Zeroed: none. */
struct alike {
	struct alike_name names[ALIKE_KEPT];
	size_t next; /* the oldest */
};

/*
 * The durations of those alike, with its own, until the next call; none where an event is the only
 * one of its name.
 */
const struct durations *alike_find(struct alike *a, const struct track_part *part,
				   const struct track *track, const struct lane_event *e);
void alike_free(struct alike *a);

#endif
