/*
 * Sides whose kinds of steps come in another mix have another mean step, though no step may have
 * changed. So leaves are compared as they are in one mix: of the kinds that both sides have, each
 * with the mean of its two shares of the steps. What a side has beside that is the mix's.
 */
#ifndef DIFF_COMMON_MIX_H
#define DIFF_COMMON_MIX_H

#include "diff/sides.h"

/* What the leaves of a row have in the mix, a step. */
struct mixed_sum {
	double ns, work_ns, calls;
};

/* Sets what each leaf has in the mix, and adds to the deltas. */
void common_mix_find(struct sides *s);
void common_mix_add(struct mixed_sum *to, const struct sides *s, enum side side,
		    const struct side_leaf *l);

/*
 * Whole nanoseconds of a step for each number of units, so that they sum up to those of their sum:
 * the largest remainders are rounded away from zero.
 */
void exact_round(const struct sides *s, const exact_ns *units, size_t count, int64_t *ret_ns);

#endif
