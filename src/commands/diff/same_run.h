/* A run that is given twice, as a copy of its capture, would make runs look more alike than they
 * are.
 */
#ifndef COMMANDS_DIFF_SAME_RUN_H
#define COMMANDS_DIFF_SAME_RUN_H

#include "diff/account.h"

/* ERR_INPUT where two are the same run, whatever they are called. */
int runs_check_apart(const struct account *const *runs, size_t count, struct err *e);

#endif
