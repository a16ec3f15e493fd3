/* Student's t with any number of degrees of freedom above 0; very many are the normal. */
#ifndef STATISTICS_STUDENT_H
#define STATISTICS_STUDENT_H

/* The chance of at most t. */
double student_cdf(double t, double df);
/* The t that is not exceeded with chance p, 0 < p < 1; antisymmetric about p = 1/2 to the bit. */
double student_quantile(double p, double df);
/* The chance of a t at least as far from 0 on either side. */
double student_two_sided(double t, double df);

#endif
