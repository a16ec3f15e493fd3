/*
 * Events as lanes: what overlaps lies in lanes beside each other, the outer above the inner.
 * Nothing is dropped: an event without a place in the first lane is in one of the others.
 */
#ifndef TIMELINE_LANES_H
#define TIMELINE_LANES_H

#include "timeline/lane.h"

struct lanes {
	struct lane *all;
	size_t count;
	size_t events; /* in all of them */
	size_t spilt;  /* in others than the first */
};

/*
 * `ids`, in any order, is the lanes' from here on; NULL: first_id and those that follow it. An
 * event lies in the first lane that is free when it begins; where the source nests, in the first of
 * those below all that lie around it: ranges by depth, and the inner below the outer whatever
 * overlaps them.
 */
void lanes_pack(struct lanes *ret, const struct lane_source *source, uint32_t *ids,
		uint32_t first_id, size_t count);
/* Ids from 0 on, in lanes that were chosen: `lane_of` by id. Of one lane no two overlap. */
void lanes_pack_chosen(struct lanes *ret, const struct lane_source *source, const uint32_t *lane_of,
		       size_t lanes, size_t count);
/* Moves all events, which lie as their source says, to where they are on another clock. */
void lanes_shift(struct lanes *l, int64_t by_ns);
void lanes_free(struct lanes *l);

#endif
