/*
 * Does a sequence of kernels repeat? Steps of a run launch the same kernels again and again; what
 * comes before and after them does not matter, nor do a few kernels that vary.
 */
#ifndef ANALYSIS_KERNEL_PERIOD_H
#define ANALYSIS_KERNEL_PERIOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One period: kernels [begin, end) of the sequence. */
struct kernel_step {
	size_t begin, end;
};

struct kernel_period {
	struct kernel_step *steps; /* in order; they need not touch */
	size_t count;
	size_t length;	   /* of the usual step, in kernels */
	double confidence; /* share of the kernels between first and last that agree, 0 to 1 */
};

/*
 * Finds the shortest period that holds in every step: layers within a step differ where the step
 * begins, steps between two logged ones hardly do. False: there is none. The caller frees
 * ret->steps either way.
 */
bool kernel_period_find(const uint32_t *names, size_t n, struct kernel_period *ret);

#endif
