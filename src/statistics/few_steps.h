/*
 * How far may the mean of few steps be from that of the run? What steps hand on to the next ones
 * cannot be told from so few, so no interval is worth its name. A bound is: the mean is taken to be
 * no surer than any single step.
 */
#ifndef STATISTICS_FEW_STEPS_H
#define STATISTICS_FEW_STEPS_H

#include <stddef.h>

struct few_steps {
	double variance; /* relative, of the mean: that of one step at least; NAN: one step */
	double df;	 /* how well that is known */
};

/* `effective` of the n steps are independent, as step_bootstrap() has it. */
struct few_steps few_steps_bound(const double *ns, size_t n, double effective);

#endif
