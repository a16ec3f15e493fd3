/*
 * Logarithm, exponential and log-gamma of additions, multiplications and divisions alone, which
 * IEEE 754 rounds alike everywhere. libm's differ in the last bit between processors with and
 * without a fused multiply-add: a verdict would then depend on the machine that was asked.
 */
#ifndef STATISTICS_PORTABLE_MATH_H
#define STATISTICS_PORTABLE_MATH_H

/* x > 0 and finite. */
double portable_log(double x);
double portable_exp(double x);
/* exp(x) - 1 without loss near 0. */
double portable_expm1(double x);
/* log Γ(x), x > 0. */
double portable_log_gamma(double x);

#endif
