/* Views of one account: leaves gathered by what they have in common; each sums up to the step. */
#ifndef DIFF_DIFF_VIEWS_H
#define DIFF_DIFF_VIEWS_H

#include "diff/diff.h"

/* By what the account is shown. */
enum diff_view {
	VIEW_OVERVIEW, /* by class, and the largest rows */
	VIEW_ROWS,
	VIEW_CLASS,
	VIEW_RANGE,
	VIEW_KERNEL,
	VIEW_CATEGORY,
	VIEW_HOST, /* what the host does, by range: no part of the sum */
	VIEW_KIND, /* … and neither are these */
	VIEW_RUN,
	VIEW_STEP,
	VIEW_FINDING,
};

/* The key of idle time: no kernel has a name like that. */
#define VIEW_IDLE "idle:"

/* Rows of a view. */
struct view_row {
	const char *key;   /* of the group: stable within the view */
	const char *words; /* for people; may be the key */
	int64_t ns[SIDES]; /* of all steps */
	exact_ns delta;	   /* without the mix */
};

struct view {
	struct view_row *all; /* the largest delta first; by class: in the order of classes */
	size_t count;
};

/* In the arena. Categories are those of the program's default map. */
int view_make(struct view *ret, const struct diff *d, enum diff_view by, struct arena *arena,
	      struct err *e);

/*
 * Whole nanoseconds of a step for each number of units, so that they sum up to those of their sum:
 * the largest remainders are rounded away from zero.
 */
void view_round(const struct diff *d, const exact_ns *units, size_t count, int64_t *ret_ns);

#endif
