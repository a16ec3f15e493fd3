/* What the work of a row most likely is, what shows it, and what a range around it is called. */
#ifndef ANALYSIS_LIKELY_H
#define ANALYSIS_LIKELY_H

#include "analysis/suggest/row_blocks.h"
#include "analysis/suggest/row_work.h"

struct likely {
	const char *what; /* "backward pass" */
	const char *
		name; /* of the range: letters, digits and _ alone, whatever a trace calls things */
	struct buf why; /* for the caller to free */
};

/* `function` is that around it, or empty. Texts live in the arena, or are constant. */
void likely_find(const struct launched *l, const struct stretch_row *row, const struct row_work *w,
		 const struct row_blocks *blocks, struct str function, struct arena *a,
		 struct likely *ret);

#endif
