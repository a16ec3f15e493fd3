/* The collectives of each rank in the order in which it left them. */
#ifndef ANALYSIS_REPLAY_LEFT_H
#define ANALYSIS_REPLAY_LEFT_H

#include "analysis/replay/replay.h"

/* What needs what a collective brings, or its stream, begins within this after it. */
#define REPLAY_AT_ONCE_NS INT64_C(10000)

struct replay_left {
	uint32_t *stops;
	size_t *first; /* by member, and the end */
};

void replay_left_make(const struct replay *r, struct replay_left *ret);
void replay_left_free(struct replay_left *l);
/* The place of the first that a member left later. */
size_t replay_left_by(const struct replay *r, const struct replay_left *l, uint32_t member,
		      int64_t at_ns);

#endif
