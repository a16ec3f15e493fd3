/* How likely is a t this large by chance? */
#include "statistics/student.h"

#include "statistics/portable_math.h"

#include <math.h>

/* Beyond, t is normal to six digits, and the fraction below would take ever longer. */
static const double MOST_DF = 1e6;

/* The continued fraction of the incomplete beta function, by Lentz's method. */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), result;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	result = d;
	for (int m = 1; m < 10000; m++) {
		const double terms[] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
					-(a + m) * (a + b + m) * x /
						((a + 2 * m) * (a + 2 * m + 1))};
		double change = 1;

		for (int i = 0; i < 2; i++) {
			d = 1 + terms[i] * d;
			c = 1 + terms[i] / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			change = c * d;
			result *= change;
		}
		if (fabs(change - 1) < 1e-15)
			break;
	}
	return result;
}

/* The regularised incomplete beta function; y is 1 - x, which may be too small to be told from x.
 */
static double beta_share(double x, double y, double a, double b)
{
	double front;

	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	front = portable_exp(portable_log_gamma(a + b) - portable_log_gamma(a) -
			     portable_log_gamma(b) + a * portable_log(x) + b * portable_log(y));
	/* The fraction converges fast on this side alone. */
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(x, a, b) / a;
	return 1 - front * beta_fraction(y, b, a) / b;
}

double student_two_sided(double t, double df)
{
	const double nu = df > MOST_DF ? MOST_DF : df, square = t * t;

	if (isnan(t) || !(nu > 0))
		return NAN;
	if (isinf(square))
		return 0;
	return beta_share(nu / (nu + square), square / (nu + square), nu / 2, 0.5);
}

double student_cdf(double t, double df)
{
	const double outside = student_two_sided(t, df) / 2;

	return t > 0 ? 1 - outside : outside;
}

/* By halving, 200 times at most: no start to choose, and the same end on every machine. */
static double upper_quantile(double outside, double df)
{
	double low = 0, high = 1;

	while (student_two_sided(high, df) > outside && high < 1e150) {
		low = high;
		high *= 2;
	}
	for (int i = 0; i < 200; i++) {
		const double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (student_two_sided(middle, df) > outside)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double student_quantile(double p, double df)
{
	if (!(p > 0 && p < 1) || !(df > 0))
		return NAN;
	if (p == 0.5)
		return 0;
	return p > 0.5 ? upper_quantile(2 * (1 - p), df) : -upper_quantile(2 * p, df);
}
