/* Rows of leaf pages as columns; one reader per thread. */
#ifndef SQLITEFILE_LEAF_H
#define SQLITEFILE_LEAF_H

#include "sqlitefile/layout.h"

struct leaf_row {
	const uint8_t *record;
	const uint64_t *fields; /* how it lies */
};

struct leaf_reader {
	struct plan *plan;
	size_t rows;	  /* room for */
	struct out *outs; /* one per want */
	int64_t *rowids;  /* where the plan wants them */
	struct leaf_row *found;
	uint64_t no_ints, no_nulls; /* of the rows at hand: see struct layout */
	struct layouts layouts;
};

/* `rows`: the most that one leaf_read() will ask for. */
void leaf_reader_start(struct leaf_reader *r, struct plan *plan, size_t rows);
/* A zeroed one is fine. */
void leaf_reader_free(struct leaf_reader *r);

/*
 * Decodes cells [begin, begin + rows) of a leaf page into outs and rowids from index 0. The page
 * has at least that many cells.
 */
int leaf_read(struct leaf_reader *r, uint32_t page, uint32_t begin, uint32_t rows, struct err *e);

#endif
