/* Grid and block dimensions as NVIDIA prints them: " 264    2    1". */
#ifndef ANALYSIS_SHAPE_H
#define ANALYSIS_SHAPE_H

#include "trace/trace.h"

enum { SHAPE_BYTES = 36 };

/* Columns that dimensions need. */
#define SHAPE_COLUMNS                                                                             \
	(COL_BIT(COL_GRID_X) | COL_BIT(COL_GRID_Y) | COL_BIT(COL_GRID_Z) | COL_BIT(COL_BLOCK_X) | \
	 COL_BIT(COL_BLOCK_Y) | COL_BIT(COL_BLOCK_Z))

int shape_require(struct trace *t, struct err *e);
struct str shape_text(uint32_t *const dimensions[3], uint64_t kernel, char out[SHAPE_BYTES]);

#endif
