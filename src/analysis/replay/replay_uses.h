/*
 * Which of the communicators that a rank uses alike is this? It is compared with other ranks, which
 * have others in their place.
 */
#ifndef ANALYSIS_REPLAY_USES_H
#define ANALYSIS_REPLAY_USES_H

#include "analysis/replay/replay.h"

struct replay_uses {
	size_t *first;	  /* by class: of its members in `number` */
	uint32_t *number; /* of a class on a member, from 0 on among those that it uses alike */
};

/* Once visits are in order. */
void replay_uses_make(const struct replay *r, struct replay_uses *ret);
void replay_uses_free(struct replay_uses *u);

/* Of the n-th stop of a visit. */
static inline uint32_t replay_use(const struct replay_uses *u, const struct replay_visit *v,
				  uint32_t n)
{
	return u->number[u->first[v->class] + n];
}

/* What is used alike: collectives of one type, of as many ranks, as often. */
static inline uint64_t replay_mix(uint64_t kind, uint64_t with)
{
	return kind * 1000003 + with;
}

static inline uint64_t replay_sort_of(const struct replay_class *c)
{
	return replay_mix(replay_mix((uint64_t)c->type, c->member_count), c->count);
}

#endif
