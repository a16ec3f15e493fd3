/* The values of many rows put together group by group, as compactly as they allow. */
#ifndef ANALYSIS_BY_GROUP_H
#define ANALYSIS_BY_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Many values kept as distances from a common base: in 32 bits where they all fit, as times of an
 * export nearly always do, else in 64.
 */

struct offsets {
	void *at;
	bool wide;
};

/* Loops over offsets are written once; a caller that says `wide` as a constant has them twice. */
#define OFFSETS_LOOP static inline __attribute__((always_inline))

OFFSETS_LOOP uint64_t offset_at(const void *at, bool wide, size_t i)
{
	return wide ? ((const uint64_t *)at)[i] : ((const uint32_t *)at)[i];
}

static inline struct offsets offsets_from(const struct offsets *o, size_t first)
{
	size_t size = o->wide ? sizeof(uint64_t) : sizeof(uint32_t);

	return (struct offsets){(char *)o->at + first * size, o->wide};
}

#define GROUP_NONE UINT32_MAX /* the value belongs to no group */

enum { BATCH_ROWS = 512, BATCH_COLUMNS = 4 };

/* Some rows: columns of the caller's, or what the reader wrote into the buffers. */
struct batch {
	const int64_t *value;
	const uint32_t *group;
	int64_t values[BATCH_ROWS];
	uint32_t groups[BATCH_ROWS];
};

/*
 * Sets value and group of b, or of b[0] and those that follow where rows have several columns, for
 * the rows [begin, end). Called up to twice for each row, on all cores.
 */
typedef void batch_read(const void *ctx, size_t begin, size_t end, struct batch *b);

struct by_group {
	size_t groups;
	/*
	 * By row: the group that it can only belong to, or GROUP_NONE. Where that is known
	 * beforehand rows are read once. May be NULL.
	 */
	const uint32_t *expected;
	int64_t base; /* a value is base + its offset */
	bool wide;
	void *offsets;
	size_t *begin; /* of each group; groups + 1 entries */
};

/* Fills x[0] and those that follow, one for each column, whose `groups` and `expected` are set. */
void by_group_make(struct by_group *x, size_t columns, batch_read *read, const void *ctx, size_t n);
void by_group_free(struct by_group *x);

#endif
