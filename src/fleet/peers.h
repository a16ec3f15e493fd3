/*
 * Between which two ranks of a large communicator is something sent? A pipeline may have one
 * communicator for all of its stages: the k-th send of a rank then has nothing to do with the k-th
 * of another, but where calls name their peers, those of two ranks are as if these had a
 * communicator of their own.
 */
#ifndef FLEET_PEERS_H
#define FLEET_PEERS_H

#include "fleet/part.h"

/*
 * Of all captures of a job, once ranks are known: which rank of its communicator each member is,
 * its set-up says, or the order of ranks where all of them are there. Where that cannot be, as
 * somebody would send to himself, or to one that does not send back, all sends of the communicator
 * are one class again.
 */
void peers_apply(struct part *parts, size_t count);

#endif
