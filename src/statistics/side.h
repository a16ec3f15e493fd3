/* One side of a comparison: its runs, read. */
#ifndef STATISTICS_SIDE_H
#define STATISTICS_SIDE_H

#include "statistics/compare.h"

struct side {
	struct run *runs; /* owned */
	size_t count;
	double *logs;	      /* of run means, in the order of the runs; owned */
	double *sorted;	      /* the same, ascending; owned */
	double step_variance; /* of one log run mean, by its steps: the runs' mean; 0: not told */
};

void side_read(const struct run_steps *runs, size_t count, struct side *ret);
void side_free(struct side *s);
struct compare_side side_sum(const struct side *s);
/* Which comes first, whatever it is called: all that is drawn is drawn in this order. */
bool side_is_before(const struct side *a, const struct side *b);

#endif
