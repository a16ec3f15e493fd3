/* What the commands take that show traces over time, in the terminal, a browser or a file. */
#ifndef COMMANDS_SHOWN_H
#define COMMANDS_SHOWN_H

#include "cli/command.h"
#include "ncu/ncu.h"
#include "traces/traces.h"

struct shown_args {
	struct scope scope;
	struct comm_args comm;
	struct string_list ncu;
};
extern const struct option_group shown_options;

struct shown {
	struct traces traces;
	struct ncu_report profile;
	const struct ncu_report *ncu; /* the profile, or NULL: there is none */
	bool compares;		      /* A -- B: two runs, step over step, not parts of one */
};

/*
 * Opens the traces that the words name. Somebody who asks for what is not there is told before
 * anything is shown. For shown_close() whether this fails or not.
 */
int shown_open(struct shown *s, const struct invocation *inv, const struct shown_args *a,
	       struct err *e);
void shown_close(struct shown *s);

#endif
