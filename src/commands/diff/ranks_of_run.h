/*
 * Captures of one run, a file for each rank, are no runs of their own: their steps wait for each
 * other, and four of them say no more of other runs than one does.
 */
#ifndef COMMANDS_DIFF_RANKS_OF_RUN_H
#define COMMANDS_DIFF_RANKS_OF_RUN_H

#include "commands/diff/account_list.h"

/*
 * Of files whose names differ by the number of their rank alone the account stays that has most to
 * do beside communication: it bounds the run. `paths` are those of the accounts.
 */
int ranks_join(struct account_list *l, const char *const *paths, struct err *e);

#endif
