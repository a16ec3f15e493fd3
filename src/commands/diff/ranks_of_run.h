/*
 * Captures of one run, a file for each rank, are no runs of their own: their steps wait for each
 * other, and four of them say no more of other runs than one does.
 */
#ifndef COMMANDS_DIFF_RANKS_OF_RUN_H
#define COMMANDS_DIFF_RANKS_OF_RUN_H

#include "commands/diff/account_list.h"

/*
 * Of files whose names differ by the number of their rank alone the account stays that has most to
 * do beside communication: it bounds the run. `paths` are those of the accounts. So it is with
 * captures that were taken at the same time and communicate, whatever they are called; ERR_INPUT
 * where they do not communicate: what runs beside one another shares a machine, and is no sample of
 * runs.
 */
int ranks_join(struct account_list *l, const char *const *paths, struct err *e);

#endif
