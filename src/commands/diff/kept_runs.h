/* Baselines of a project, and whether runs are like those that they hold. */
#ifndef COMMANDS_DIFF_KEPT_RUNS_H
#define COMMANDS_DIFF_KEPT_RUNS_H

#include "baseline/baseline.h"
#include "commands/diff/account_list.h"

enum { DAY_BYTES = 11 };

/* By its name; ERR_INPUT where there is none. For baseline_free() whether this fails or not. */
int kept_runs_open(struct kept_baseline *ret, const char *name, struct err *e);
/* The options that choose the steps, as a command line has them; appends. */
void kept_runs_add_options(struct buf *b, const struct run_args *a);
/* ERR_INPUT where the steps of the baseline were chosen in another way. */
int kept_runs_check_options(const struct baseline *b, const struct run_args *a, struct err *e);
/* Warns where the newest run is months old. */
void kept_runs_warn_old(struct report *r, const char *name, const struct baseline *b,
			const char *today);

#endif
