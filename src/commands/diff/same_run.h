/* A run that is given twice, as a copy of its capture, would make runs look more alike than they
 * are.
 */
#ifndef COMMANDS_DIFF_SAME_RUN_H
#define COMMANDS_DIFF_SAME_RUN_H

#include "diff/sides.h"
#include "report/report.h"

/* To the nanosecond: no two runs of anything are that much alike. */
bool runs_are_same(const struct account *a, const struct account *b);
/* ERR_INPUT where two are the same run, whatever they are called. */
int runs_check_apart(const struct account *const *runs, size_t count, struct err *e);

/* A trace with itself is a question of its own; among others a run is on both sides by mistake. */
void runs_warn_of_both(struct report *r, const struct sides *s);

#endif
