/* Runs against a baseline and rules: what `gate` and `baseline check` do. */
#ifndef COMMANDS_DIFF_GATE_RUN_H
#define COMMANDS_DIFF_GATE_RUN_H

#include "commands/diff/account_list.h"
#include "commands/diff/compare_args.h"

/* What a gate does where it cannot tell. */
enum on_unknown { UNKNOWN_FAILS, UNKNOWN_WARNS, UNKNOWN_PASSES };

struct gate_args {
	struct run_args run;
	struct compare_args compare;
	struct row_choice rows;
	enum on_unknown on_unknown;
	const char *junit, *sarif; /* files to write, or NULL */
	bool github;
};
extern const struct option_group gate_run_options;

/* What is held against what. */
struct gate_question {
	const char *baseline; /* its name */
	const char *rules;    /* a file, or NULL: the tolerance alone */
	const char *const *paths;
	size_t count;
};

/* Presents the answer and sets the exit code. */
int gate_run(struct invocation *inv, const struct gate_args *a, const struct gate_question *q,
	     struct err *e);

#endif
