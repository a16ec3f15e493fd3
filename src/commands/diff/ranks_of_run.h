/*
 * Captures of one run, a file for each rank, are no runs of their own: their steps wait for each
 * other, and four of them say no more of other runs than one does.
 */
#ifndef COMMANDS_DIFF_RANKS_OF_RUN_H
#define COMMANDS_DIFF_RANKS_OF_RUN_H

#include "commands/diff/account_list.h"

/* Which of the captures are ranks of one run with others of them, by their names. */
int ranks_find_named(const char *const *paths, size_t count, bool *ret, struct err *e);

/*
 * Of files whose names differ by the number of their rank alone the account stays that has most to
 * do beside communication: it bounds the run. `paths` are those of the accounts. So it is with
 * captures that were taken at the same time and communicate, or are in the folder of one run,
 * whatever they are called. Of those that do neither, ones of different GPUs are runs of their own;
 * ERR_INPUT where they share a GPU, or are of different ranks: they are no sample of runs. With
 * `separate` somebody says that what was taken at the same time is apart: two jobs, say, of which
 * names tell the ranks. ERR_INPUT, too, where a run's folder has captures of one time after the
 * other: they are one run, and none of them all of it.
 */
int ranks_join(struct account_list *l, const char *const *paths, bool separate, struct err *e);

#endif
