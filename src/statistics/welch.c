/* What do two or three runs a side say? */
#include "statistics/welch.h"

#include "statistics/student.h"

#include <math.h>

double welch_mean(const double *values, size_t n, double *ret_variance)
{
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	*ret_variance = n > 1 ? squares / (double)(n - 1) : 0;
	return mean;
}

/* Variances are alike: a weighted mean of all that are told. */
static void pool(double a, size_t na, double b, size_t nb, const struct known_variance *known,
		 struct estimate *ret)
{
	const double dfs[] = {(double)na - 1, (double)nb - 1, known->df};
	double variance = known->variance;

	ret->df = dfs[0] + dfs[1] + dfs[2];
	if (!isinf(known->df))
		variance = (dfs[0] * a + dfs[1] * b + dfs[2] * known->variance) / ret->df;
	ret->se = sqrt(variance * (1 / (double)na + 1 / (double)nb));
}

/* Variances may differ: the degrees of freedom are Satterthwaite's. */
static void keep_apart(double a, size_t na, double b, size_t nb, struct estimate *ret)
{
	const double va = a / (double)na, vb = b / (double)nb;

	ret->se = sqrt(va + vb);
	ret->df = va + vb > 0 ? (va + vb) * (va + vb) /
					(va * va / (double)(na - 1) + vb * vb / (double)(nb - 1))
			      : (double)(na + nb - 2);
}

static void keep_wider(struct estimate *e, const struct estimate *other)
{
	if (student_quantile(1 - ONE_SIDED, other->df) * other->se >
	    student_quantile(1 - ONE_SIDED, e->df) * e->se)
		*e = *other;
}

/*
 * Welch's bounds are too narrow where two or three runs happen to agree and the other side has
 * more: of 2 and 6 runs without a change they call 11.8 % different, not 10. Bounds that take
 * variances for alike are too narrow where they are not. The wider of both is right in either case.
 */
static void compare_few(double a, size_t na, double b, size_t nb,
			const struct known_variance *nothing, struct estimate *ret)
{
	struct estimate alike = *ret;

	keep_apart(a, na, b, nb, ret);
	if (na == nb)
		return;
	pool(a, na, b, nb, nothing, &alike);
	keep_wider(ret, &alike);
}

void welch(const double *before, size_t before_count, const double *after, size_t after_count,
	   const struct known_variance *known, struct estimate *ret)
{
	double a, b;
	const double from = welch_mean(before, before_count, &a),
		     to = welch_mean(after, after_count, &b);

	ret->shift = to - from;
	if (known->df > 0 || before_count < 2 || after_count < 2)
		pool(a, before_count, b, after_count, known, ret);
	else
		compare_few(a, before_count, b, after_count, known, ret);
	estimate_by_student(ret);
}

void welch_pairs(const double *differences, size_t n, struct estimate *ret)
{
	double variance;

	ret->shift = welch_mean(differences, n, &variance);
	ret->se = sqrt(variance / (double)n);
	ret->df = (double)n - 1;
	estimate_by_student(ret);
}
