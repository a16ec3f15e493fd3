/* What `gpuwhy runs` can do; each fills the invocation's report. */
#ifndef COMMANDS_CAPTURE_RUNS_H
#define COMMANDS_CAPTURE_RUNS_H

#include "capture/run_list.h"
#include "cli/command.h"

/* What `gpuwhy runs` is told. */
struct runs_args {
	const char *root; /* --runs, or NULL */
	bool has_keep, dry_run;
	uint64_t keep;
};

int capture_runs_list(struct invocation *inv, const struct run_list *l, const char *word,
		      struct err *e);
int capture_runs_show(struct invocation *inv, const struct run_list *l, const char *word,
		      struct err *e);
int capture_runs_prune(struct invocation *inv, const struct run_list *l, const char *word,
		       struct err *e);
int capture_runs_compress(struct invocation *inv, const struct run_list *l, const char *word,
			  struct err *e);

/* Warns of each run whose manifest cannot be read: it "is not listed", … */
void capture_runs_warn_damaged(struct report *r, const struct run_list *l, const char *is);

#endif
