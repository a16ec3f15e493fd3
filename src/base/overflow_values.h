/*
 * Values of a few rows that do not fit their column, where a mark stands in their place. A zeroed
 * one is empty.
 */
#ifndef BASE_OVERFLOW_VALUES_H
#define BASE_OVERFLOW_VALUES_H

#include "base/idmap.h"

struct overflow_values {
	struct idmap at; /* row → index */
	int64_t *values;
	size_t count, cap;
};

/* Instead of what the row may have had. */
void overflow_values_put(struct overflow_values *a, size_t row, int64_t value);
/* The row must have one. */
int64_t overflow_values_get(const struct overflow_values *a, size_t row);
/* Rows are others from here on: new row i is what row `of[i]` was, or none that has a value. */
void overflow_values_renumber(struct overflow_values *a, const uint32_t *of, size_t count);
void overflow_values_free(struct overflow_values *a);

#endif
