/* The longest times of a window in which nothing goes on between two events of a lane. */
#ifndef TIMELINE_LANE_GAPS_H
#define TIMELINE_LANE_GAPS_H

#include "timeline/lane.h"

struct lane_gap {
	size_t before;	  /* the event that it comes before */
	struct span span; /* cut where the window ends */
};

/* Longest first, of equal ones the first; at most `most`. Returns how many there are. */
size_t lane_gaps_find(const struct lane *l, struct span window, struct lane_gap *ret, size_t most);

/* A gap with the event before it and the one after it, where there are any. */
struct span lane_gap_around(const struct lane *l, struct span gap);

#endif
