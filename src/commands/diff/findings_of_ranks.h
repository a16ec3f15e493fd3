/* What costs time in a run that several captures tell of, one for each rank. */
#ifndef COMMANDS_DIFF_FINDINGS_OF_RANKS_H
#define COMMANDS_DIFF_FINDINGS_OF_RANKS_H

#include "commands/diff/account_list.h"

/*
 * Once ranks are joined: each run of several captures has the findings of all of them as one trace,
 * as `gpuwhy findings FILE…` has: who waits for whom no capture tells alone. Where somebody asks
 * for one GPU or process, or they are no job after all, it has those of the rank that bounds it.
 * `paths` are those of the captures. The captures of a run are open at the same time.
 */
int findings_of_ranks_read(struct account_list *l, const char *const *paths,
			   const struct run_args *a, const struct input_args *in, struct err *e);

#endif
