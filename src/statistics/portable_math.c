/* How do all machines get the same bits? */
#include "statistics/portable_math.h"

#include <math.h>

/* log 2 in two parts: products of the first with whole numbers up to 2,048 are exact. */
static const double LOG2_HIGH = 0x1.62e42fefap-1, LOG2_LOW = 0x1.cf79abc9e3b3ap-40;
static const double HALF_LOG_2_PI = 0.91893853320467274178;

/* log(1 + s) / (1 - s) = 2 atanh s, |s| < 0.172: eleven terms are enough for 53 bits. */
static double log_of_mantissa(double m)
{
	const double s = (m - 1) / (m + 1), square = s * s;
	double sum = 0;

	for (int k = 21; k >= 3; k -= 2)
		sum = (sum + 1.0 / k) * square;
	return 2 * (s + s * sum);
}

double portable_log(double x)
{
	int exponent;
	double m = frexp(x, &exponent);

	if (m < M_SQRT1_2) {
		m *= 2;
		exponent--;
	}
	return exponent * LOG2_HIGH + (log_of_mantissa(m) + exponent * LOG2_LOW);
}

/* |x| <= log(2) / 2: Taylor's series. */
static double expm1_near_zero(double x)
{
	double sum = 0;

	for (int k = 17; k >= 2; k--)
		sum = (sum + 1) * x / k;
	return x * (1 + sum);
}

double portable_expm1(double x)
{
	double times, power;

	if (isnan(x))
		return x;
	if (x > 700 || x < -700)
		return x > 0 ? INFINITY : -1;
	times = floor(x / M_LN2 + 0.5);
	if (times == 0)
		return expm1_near_zero(x);
	power = ldexp(1, (int)times);
	return power * expm1_near_zero((x - times * LOG2_HIGH) - times * LOG2_LOW) + (power - 1);
}

double portable_exp(double x)
{
	return x < 0 ? 1 / (portable_expm1(-x) + 1) : portable_expm1(x) + 1;
}

/* Stirling's series, from ten on; below, by the recurrence Γ(x + 1) = x Γ(x). */
double portable_log_gamma(double x)
{
	double product = 1, inverse, square;

	while (x < 10)
		product *= x++;
	inverse = 1 / x;
	square = inverse * inverse;
	return (x - 0.5) * portable_log(x) - x + HALF_LOG_2_PI - portable_log(product) +
	       inverse * (1.0 / 12 -
			  square * (1.0 / 360 -
				    square * (1.0 / 1260 - square * (1.0 / 1680 - square / 1188))));
}
