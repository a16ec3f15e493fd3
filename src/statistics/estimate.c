/* Between which bounds is the shift? */
#include "statistics/estimate.h"

#include "statistics/student.h"

#include <math.h>

void estimate_by_student(struct estimate *e)
{
	const double half = e->se > 0 ? student_quantile(1 - ONE_SIDED, e->df) * e->se : 0;

	e->level = ONE_SIDED;
	e->low = e->shift - half;
	e->high = e->shift + half;
	if (e->se > 0)
		e->p = student_two_sided(e->shift / e->se, e->df);
	else
		e->p = e->shift == 0 ? 1 : 0;
}

void estimate_mirror(struct estimate *e)
{
	const double low = e->low;

	e->shift = -e->shift;
	e->low = -e->high;
	e->high = -low;
}

int estimate_beyond(const struct estimate *e, double margin)
{
	return (e->low > margin) - (e->high < -margin);
}

/*
 * A shift is found if it is further from the tolerance than its bound is from it. Both err: the
 * bound's relative error is that of the standard error, 1 / √(2 df).
 */
double estimate_detectable(const struct estimate *e)
{
	const double half = (e->high - e->low) / 2, t = half / e->se;

	if (!(e->se > 0))
		return e->se;
	return half + Z_FOUND * sqrt(1 + t * t / (2 * e->df)) * e->se;
}
