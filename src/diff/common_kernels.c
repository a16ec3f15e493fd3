/* How much of what the two sides launch is the same? */
#include "diff/diff.h"

#include <math.h>
#include <string.h>

/* Calls of a step that differ by less are as many. */
static const double as_many = 0.05;

/* Kernels of a step, by number and by time. */
struct kernel_sums {
	double calls, ns;
};

static struct kernel_sums kernels_of(const struct diff *d, const struct diff_row *r, enum side side)
{
	const double weight = (double)d->sides.of[side].weight;

	return (struct kernel_sums){(double)r->sum[side].calls / weight,
				    (double)r->sum[side].work_ns / weight};
}

static bool is_as_often(const struct kernel_sums of[SIDES])
{
	return fabs(of[AFTER].calls - of[BEFORE].calls) <=
	       as_many * fmax(of[BEFORE].calls, of[AFTER].calls);
}

/*
 * Programs of one framework have templates in common: another instance of one, of another size and
 * launched more or less often, is no sign that they are the same.
 */
static bool is_common(const struct diff_row *r, const struct kernel_sums of[SIDES])
{
	switch (r->match->how) {
	case MATCH_BLOCK:
	case MATCH_NEW:
	case MATCH_GONE:
		return false;
	case MATCH_NAME:
		return strcmp(r->leaf[BEFORE]->grid, r->leaf[AFTER]->grid) == 0 || is_as_often(of);
	default:
		return true;
	}
}

static bool is_kernel(const struct diff_row *r)
{
	const struct leaf *l = diff_row_leaf(r);

	return l->class != LEAF_IDLE && op_name_is_kernel(l);
}

static double share_of(double common, const double all[SIDES])
{
	const double least = fmin(all[BEFORE], all[AFTER]);

	return least > 0 ? common / least : NAN;
}

double diff_common_kernels(const struct diff *d)
{
	double calls[SIDES] = {0}, ns[SIDES] = {0};
	struct kernel_sums common = {0};

	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];
		const struct kernel_sums of[SIDES] = {kernels_of(d, r, BEFORE),
						      kernels_of(d, r, AFTER)};

		if (!is_kernel(r))
			continue;
		for (int side = 0; side < SIDES; side++) {
			calls[side] += of[side].calls;
			ns[side] += of[side].ns;
		}
		if (!is_common(r, of))
			continue;
		common.calls += fmin(of[BEFORE].calls, of[AFTER].calls);
		common.ns += fmin(of[BEFORE].ns, of[AFTER].ns);
	}
	return fmax(share_of(common.calls, calls), share_of(common.ns, ns));
}
