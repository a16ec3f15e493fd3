/*
 * Sorts of steps by what they launch. Steps of one sort have most of their launches in common, and
 * neither lacks a block of kernels that the other has: a step that accumulates gradients launches
 * all but the optimizer's kernels. That a few launches come and go, or one kernel does what another
 * does elsewhere (autotuning, another length), makes no sort.
 */
#ifndef DIFF_STEP_SORTS_H
#define DIFF_STEP_SORTS_H

#include <stddef.h>
#include <stdint.h>

enum { STEP_KINDS_MAX = 16, SORT_STEPS = 2 /* one is an odd one */ };

/* What each step launches, by name. */
struct step_launches {
	size_t steps, names;
	uint32_t *calls; /* by step · names + name */
	int64_t *ns;	 /* that they take, likewise */
};

/*
 * Sets the sort of each step: a number below what is returned, at most STEP_KINDS_MAX. Odd steps,
 * too few to be a sort, are of the one they are most like.
 */
size_t step_sorts_find(const struct step_launches *l, uint32_t *ret_sorts);

#endif
