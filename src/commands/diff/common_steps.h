/*
 * Two sides whose steps were told in two ways, such as by ranges and by repeating kernels, and are
 * not the same work: is there a way that tells the same steps of both?
 */
#ifndef COMMANDS_DIFF_COMMON_STEPS_H
#define COMMANDS_DIFF_COMMON_STEPS_H

#include "commands/diff/even_steps.h"
#include "diff/sides.h"

/*
 * Reads the traces again where the steps are unlike: the ranges that are the steps of one side, by
 * their name on the other; then repetitions of kernels on both. The first that makes them alike
 * takes the place of what was read, and a note says so; where none does all stays as it was. Not
 * where somebody names the steps. All of them reach as far.
 */
int common_steps_find(struct told_side sides[SIDES], const struct run_args *a,
		      const struct input_args *in, struct report *r, struct err *e);

#endif
