/* For commands/diff/baseline.c: what its actions share. */
#ifndef COMMANDS_DIFF_BASELINE_ARGS_H
#define COMMANDS_DIFF_BASELINE_ARGS_H

#include "baseline/folder_lock.h"
#include "commands/diff/gate_run.h"
#include "commands/diff/kept_runs.h"

struct baseline_args {
	struct gate_args gate;
	bool force, accept;
	const char *reason;
};

/* What an action is asked: `name` is NULL where it takes none. */
struct baseline_request {
	struct invocation *inv;
	const struct baseline_args *args;
	const char *name;
	const char *const *paths;
	size_t count;
	char today[DAY_BYTES];
};

int baseline_run_save(const struct baseline_request *q, struct err *e);
int baseline_run_update(const struct baseline_request *q, struct err *e);
int baseline_run_check(const struct baseline_request *q, struct err *e);
int baseline_run_list(const struct baseline_request *q, struct err *e);
int baseline_run_show(const struct baseline_request *q, struct err *e);

/* The traces of the request, each with a day, in the order of a baseline, with steps that reach as
 * far as those that are kept; NULL: none are. For account_list_free() whether this fails or not. */
int baseline_read_runs(const struct baseline_request *q, const struct baseline *kept,
		       struct account_list *ret, struct err *e);
/* ERR_INPUT where one is not like the first (another GPU, driver, way to capture), or is there
 * twice.
 */
int baseline_check_alike(const struct account *const *runs, size_t count, struct err *e);
/* The share of GPU ops that came, went or were replaced between two runs; 0: no more than libraries
 * choose anew in each run. */
double baseline_other_launches(const struct account *const *first,
			       const struct account *const *run);
/*
 * Writes the file, whole or not at all; ERR_INPUT where it would be too large to be read, or is no
 * longer the one that was `known`. The caller holds the lock, where the folder was there.
 */
int baseline_put(const struct baseline_request *q, const struct baseline *b,
		 const struct baseline_version *known, struct err *e);

/* A table of what the runs of a baseline are, in the report. */
void baseline_add_runs(struct report *r, const struct baseline *b);

#endif
