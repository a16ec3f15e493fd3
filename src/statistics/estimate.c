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

double estimate_detectable(const struct estimate *e)
{
	if (!(e->se > 0))
		return e->se;
	return (student_quantile(1 - e->level, e->df) + student_quantile(FOUND, e->df)) * e->se;
}
