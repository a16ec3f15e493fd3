/*
 * A sequence of kernels by its grams: GRAM kernels in a row, known by a hash. What comes again and
 * again in the sequence does so as the same grams, one after the other.
 */
#ifndef ANALYSIS_KERNEL_GRAMS_H
#define ANALYSIS_KERNEL_GRAMS_H

#include <stddef.h>
#include <stdint.h>

enum { GRAM = 8 };

struct kernel_grams {
	const uint32_t *names; /* numbers below name_count */
	size_t n, name_count;
	uint32_t *numbers; /* the names, where those given are too large to be counted by */
	int64_t *grams;	   /* of the kernels from each place on */
	size_t gram_count;
	uint32_t *places; /* by gram, those of a gram in order; of all grams, or of some */
	size_t place_count;
};

/*
 * Of a sequence of at least GRAM kernels, which has to stay. Of many grams some are listed that
 * come at least `least` times, all places of each.
 */
void kernel_grams_make(struct kernel_grams *s, const uint32_t *names, size_t n, uint32_t least);
void kernel_grams_free(struct kernel_grams *s);

#endif
