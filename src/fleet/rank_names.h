/*
 * Ranks from the names of a job's files, where nothing in the captures says them and no name has
 * the word: of "train_88213_0.sqlite" to "train_88213_7.sqlite" it is the number that no two have
 * in common.
 */
#ifndef FLEET_RANK_NAMES_H
#define FLEET_RANK_NAMES_H

#include "fleet/part.h"

/* Changes nothing where a member has a rank, a part has not one member, or no number will do. */
void ranks_by_file_names(struct part *parts, size_t count);

#endif
