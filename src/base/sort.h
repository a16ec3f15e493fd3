/* Sorting that fits columns of millions of values. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts ascending; `scratch` has room for n values. Linear time for long arrays. */
void sort_i64(int64_t *values, int64_t *scratch, size_t n);

/*
 * Fills order[0..n) with 0..n-1 so that key[order[i]] ascends, equal keys staying in index
 * order. `scratch` has room for n.
 */
void sort_order_i64(const int64_t *key, uint32_t *order, uint32_t *scratch, size_t n);

/* The same order in a new array, which the caller frees. */
uint32_t *sort_new_order(const int64_t *key, size_t n);

/* The median of the steps between ascending values that differ; of many some thousands say it. 0:
 * none. */
int64_t sort_usual_step(const int64_t *ascending, size_t n);

/* A number that sorts as the double does, which must be no NAN; both zeros have the same. */
int64_t sort_key_of_double(double x);
double sort_double_of_key(int64_t key);

/* qsort_r with a context, stable: equal items keep their order. */
void sort_stable(void *items, size_t n, size_t size,
		 int (*compare)(const void *a, const void *b, void *ctx), void *ctx);

#endif
