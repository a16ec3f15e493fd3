/*
 * Whether the kernels of one queue can follow those of another at a place, and how well they do.
 * Steps are alike: where ranks wait long, and by clocks that are not known, they can at several.
 */
#ifndef FLEET_QUEUE_PLACE_H
#define FLEET_QUEUE_PLACE_H

#include "fleet/job/queue_pair.h"

/* Whether b's kernels of *at may be a's at its place (below 0: b begins before a's first). */
bool queue_place_try(const struct queue_pair *p, struct queue_place *at);

/*
 * How far from each other both leave the kernels that are one then, in the middle; at the right
 * place, that is what it takes them to leave. Elsewhere it is as much as steps differ in length.
 */
struct queue_evenness {
	double ns; /* NAN: too few are, or they hardly can be one */
	size_t of; /* kernels */
};

struct queue_evenness queue_place_evenness(const struct queue_pair *p,
					   const struct queue_place *at);
/* Whether they leave nearly all of them together, from the first to the last: there is no gap. */
bool queue_place_is_even(const struct queue_pair *p, const struct queue_place *at);

#endif
