/*
 * Ranks from names of files that say no more than numbers: of "train_88213_0.sqlite",
 * "train_88213_1.sqlite", … the number that tells all of them apart, which all of them together
 * show and none alone.
 */
#ifndef FLEET_FILE_RANKS_H
#define FLEET_FILE_RANKS_H

#include "fleet/part.h"

/*
 * Captures of one process that nothing else names get their rank; where names do not tell, none. A
 * rank within a communicator, which several captures have, does not name it.
 */
void file_ranks_apply(struct part *parts, size_t count);

#endif
