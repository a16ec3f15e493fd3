/* How many steps at the start are unlike the rest? */
#include "statistics/warm_up.h"

enum { BATCH = 5, FEWEST_BATCHES = 4 };

static double mean_of_batch(const double *steps, size_t batch)
{
	double sum = 0;

	for (size_t i = 0; i < BATCH; i++)
		sum += steps[batch * BATCH + i];
	return sum / BATCH;
}

bool warm_up_find(const double *steps, size_t n, size_t *ret_cut)
{
	const size_t batches = n / BATCH;
	double mean = 0, squares = 0, best = 0;
	size_t cut = 0;

	*ret_cut = 0;
	if (batches < FEWEST_BATCHES)
		return true;
	/* From the end: Welford's sums of what stays if all before batch i is cut off. */
	for (size_t i = batches; i-- > 0;) {
		const double kept = (double)(batches - i), x = mean_of_batch(steps, i),
			     away = x - mean;

		mean += away / kept;
		squares += away * (x - mean);
		/* The last few agree by chance: too few to be a rest. */
		if (kept >= FEWEST_BATCHES &&
		    (kept == FEWEST_BATCHES || squares / (kept * kept) <= best)) {
			best = squares / (kept * kept);
			cut = i;
		}
	}
	if (cut > batches / 2)
		return false;
	*ret_cut = cut * BATCH;
	return true;
}
