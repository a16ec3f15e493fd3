/*
 * Blocks of kernels that repeat inside the first stretch of a row: the layers of a model, or the
 * inner loop of a solver. They are what ranges inside a step would tell apart.
 */
#ifndef ANALYSIS_ROW_BLOCKS_H
#define ANALYSIS_ROW_BLOCKS_H

#include "analysis/suggest/stretches.h"

struct row_blocks {
	size_t count;	/* 0: none repeat */
	size_t kernels; /* of the usual one */
};

/* By row, for free(). The names of kernels must be loaded. */
struct row_blocks *row_blocks_find(const struct launched *l, const struct stretches *s);

#endif
