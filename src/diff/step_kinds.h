/*
 * Kinds of steps: a prefill is no decode, a step that accumulates gradients no step that applies
 * them. What steps launch tells them apart first; of those that launch the same, how long they
 * take, or the host takes in one of their ranges, where that falls in two modes: a pause of the
 * data loader in every fourth step makes two kinds, be it hidden by the GPU's work or not. Odd
 * steps, too few to be a kind, belong to the kind they are most like.
 */
#ifndef DIFF_STEP_KINDS_H
#define DIFF_STEP_KINDS_H

#include "diff/host_ranges.h"
#include "diff/op_groups.h"
#include "diff/step_sorts.h"

/* Sets the kind of each step; ret gets the kinds, the most frequent first, in the arena. */
void step_kinds_find(struct compared_steps *c, const struct ops *o, const struct op_groups *g,
		     const struct host_ranges *h, struct arena *arena, struct step_kind **ret,
		     size_t *ret_count);

/*
 * Where values in ascending order fall in two modes: how many are of the lower one; 0: they are one
 * mode. Either mode has some of them, and the gap between is far wider than they are, and at least
 * `least`.
 */
size_t step_modes_split(const int64_t *ascending, size_t count, double least);

#endif
