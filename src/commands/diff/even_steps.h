/*
 * Do the steps of all runs reach as far? What lies between two steps belongs to those of one run
 * and not to those of another where each is looked at by itself: pauses come again and again in one
 * and once in the other, ranges that are the steps of one are a part of a loop in the other, or one
 * has so few steps that what usually lies between two is not known.
 */
#ifndef COMMANDS_DIFF_EVEN_STEPS_H
#define COMMANDS_DIFF_EVEN_STEPS_H

#include "commands/diff/account_list.h"
#include "diff/sides.h"

/* Runs of a side, and where they were read from; a baseline's are what they are. */
struct told_side {
	struct account_list *list; /* NULL: they are kept */
	const char *const *paths;
	size_t count;
	const struct scope *trim;
	const struct account *const *kept;
	size_t kept_count;
};

/*
 * Reads the traces of a side again until they do: where steps of any run are whole, those of all
 * are, and where pauses count in any, they count in all; where some have one step or two, none has
 * more than its own time. What a baseline keeps stays as it is, and is followed.
 */
int even_steps(struct told_side *sides, size_t count, const struct run_args *a,
	       const struct input_args *in, struct err *e);

#endif
