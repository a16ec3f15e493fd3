/* The runs of a command line as accounts: each trace is read and closed before the next is opened.
 */
#ifndef COMMANDS_DIFF_ACCOUNT_LIST_H
#define COMMANDS_DIFF_ACCOUNT_LIST_H

#include "cli/command.h"
#include "diff/account.h"

struct account_list {
	struct account *all;
	const struct account **refs; /* to each of them */
	size_t count;
	struct report_trace *traces; /* all that were read: several may be ranks of one run */
	size_t trace_count;
	size_t *run_of;	      /* by trace: which of `all` it is of, once ranks are joined */
	const char *alone_as; /* why the findings of a run are not of all its ranks; NULL */
	bool still_ranks; /* some are of one run by their names, though --separate was asked for */
	bool ranks_by_time; /* some are of one run by when they were taken, not by their names */
	bool beside_each_other; /* … and some are not, as they are of different GPUs */
	struct arena arena;	/* which their texts are in */
};

/* What is asked of each trace. */
struct run_args {
	struct scope scope;
	struct comm_args comm;
	const char *range; /* the steps are the ranges of this name; NULL */
	const char *phase; /* … or those of this phase; NULL */
	enum asked_reach reach;
	bool separate; /* captures of the same time are no ranks of one run */
	bool with_ops; /* asks for the ops of its usual step, for a picture */
};
extern const struct option_group run_options;

/*
 * For account_list_free() whether this fails or not. `trim` takes the place of --trim where it is
 * not NULL.
 */
int account_list_read(struct account_list *ret, const char *const *paths, size_t count,
		      const struct run_args *a, const struct scope *trim,
		      const struct input_args *in, struct err *e);
void account_list_free(struct account_list *l);

/* Says in the head of an answer that it is about these; notes call them "captures before". */
void account_list_head(struct report *r, const struct account_list *l, const char *side,
		       const char *called);

#endif
