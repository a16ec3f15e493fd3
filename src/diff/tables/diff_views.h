/* Views of one account: leaves gathered by what they have in common; each sums up to the step. */
#ifndef DIFF_TABLES_DIFF_VIEWS_H
#define DIFF_TABLES_DIFF_VIEWS_H

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
	VIEW_RANK,
	VIEW_COLLECTIVE,
};

/* Keys of idle time, of another mix of steps and of the sum: no kernel or range has such a name. */
#define VIEW_IDLE     "idle:"
#define VIEW_MIX      "mix:"
#define VIEW_STEP_SUM "step:"

/* Rows of a view. */
struct view_row {
	const char *key;	/* of the group: stable within the view */
	const char *words;	/* for people; may be the key */
	bool literal;		/* they are no kernel's name, which would be shortened */
	int64_t ns[SIDES];	/* of all steps */
	exact_ns common[SIDES]; /* of a step, in the mix of kinds that both sides have in common */
	exact_ns delta;		/* between these */
	int64_t step_ns[SIDES]; /* the common ones as whole nanoseconds */
};

struct view {
	struct view_row *all; /* the largest delta first; by class: in the order of classes */
	size_t count;
	/* Whole nanoseconds of a step: what each side has beside the common mix, and all of it. */
	int64_t beyond_ns[SIDES], step_ns[SIDES];
};

static inline int64_t view_change(const int64_t ns[SIDES])
{
	return ns[AFTER] - ns[BEFORE];
}

/* In the arena. Categories are those of the program's default map. */
int view_make(struct view *ret, const struct diff *d, enum diff_view by, struct arena *arena,
	      struct err *e);

#endif
