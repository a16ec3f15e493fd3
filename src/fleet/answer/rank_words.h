/* Ranks in a few words. */
#ifndef FLEET_RANK_WORDS_H
#define FLEET_RANK_WORDS_H

#include "base/buf.h"
#include "fleet/job/job.h"

/*
 * "rank 3", "ranks 0 to 3, 6 and 9", "212 ranks": of the chosen members, none of which is chosen
 * any more then. Returns how many they were.
 */
size_t ranks_add(struct buf *b, const struct job *j, bool *chosen);
/* "3, 4, …": the first of those that there should be and are not. */
void ranks_add_missing(struct buf *b, const struct job *j);

#endif
