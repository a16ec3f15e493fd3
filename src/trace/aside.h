/*
 * Values of a few rows that do not fit their column, where a mark stands in their place. A zeroed
 * one is empty.
 */
#ifndef TRACE_ASIDE_H
#define TRACE_ASIDE_H

#include "base/idmap.h"

struct aside {
	struct idmap at; /* row → index */
	int64_t *values;
	size_t count, cap;
};

/* Instead of what the row may have had. */
void aside_put(struct aside *a, size_t row, int64_t value);
/* The row must have one. */
int64_t aside_get(const struct aside *a, size_t row);
/* Rows are others from here on: new row i is what row `of[i]` was, or none that has a value. */
void aside_renumber(struct aside *a, const uint32_t *of, size_t count);
void aside_free(struct aside *a);

#endif
