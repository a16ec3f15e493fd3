/*
 * Do the steps of two runs lie so far apart that no chance explains it?
 *
 * A bound from the means asks for the spread of few steps, which ten steps tell badly: of steps
 * that take 140 to 290 ms it may be anything, and yet they are not the 20 ms of the other run. So
 * where the slowest step of one run is faster than the fastest of the other, the gap between these
 * two counts. Another run may move it by as much as the steps of either run differ among
 * themselves, or as runs of one program differ: on a shared machine that is 20 %.
 */
#include "statistics/separation.h"

#include "statistics/portable_math.h"
#include "statistics/student.h"

#include <math.h>
#include <stddef.h>

enum { FEWEST = 3 }; /* two steps may be alike by chance */
static const double USUAL_SD = 0.2;

struct extent {
	double low, high; /* logarithms */
};

static struct extent extent_of(const struct run *r)
{
	double low = INFINITY, high = 0;

	for (size_t i = 0; i < r->count; i++) {
		low = fmin(low, r->ns[i]);
		high = fmax(high, r->ns[i]);
	}
	return (struct extent){low > 0 ? portable_log(low) : -INFINITY, portable_log(high)};
}

bool separation_bound(const struct run *a, const struct run *b, double run_sd, double run_sd_df,
		      struct estimate *ret)
{
	const struct extent from = extent_of(a), to = extent_of(b);
	const double up = to.low - from.high, down = from.low - to.high;
	const double by_runs =
		fmax(Z_BOUND * USUAL_SD, student_quantile(1 - ONE_SIDED, run_sd_df) * run_sd) *
		sqrt(2);
	const double chance = fmax(by_runs, fmax(from.high - from.low, to.high - to.low));
	const double bound = fmax(up, down) - chance;
	double half;

	if (a->count < FEWEST || b->count < FEWEST || !(bound > 0))
		return false;
	*ret = (struct estimate){
		.shift = b->log_mean - a->log_mean, .df = INFINITY, .level = ONE_SIDED};
	half = fabs(ret->shift) - bound;
	ret->se = half / Z_BOUND;
	ret->low = up > 0 ? bound : ret->shift - half;
	ret->high = up > 0 ? ret->shift + half : -bound;
	ret->p = student_two_sided(ret->shift / ret->se, ret->df);
	return true;
}
