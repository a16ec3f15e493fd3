/*
 * Numbers drawn by a generator of our own, xoshiro256** of Blackman and Vigna: the same seed gives
 * the same draws on every machine, whoever else draws.
 */
#ifndef STATISTICS_RANDOM_H
#define STATISTICS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
	uint64_t state[4];
};

struct random random_of(uint64_t seed);
uint64_t random_next(struct random *r);
/* Of 0 … limit - 1 each as likely as the others; limit is not 0. */
size_t random_below(struct random *r, size_t limit);
/* From 0 to less than 1. */
double random_unit(struct random *r);

#endif
