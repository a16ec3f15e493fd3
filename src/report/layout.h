/*
 * Where the columns of a table stand on a terminal. Text gives way until a line fits the width
 * asked for; numbers are never cut.
 */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include "report/present.h"
#include "report/tree_lines.h"

enum { LAYOUT_MIN_TEXT = 12 }; /* text is not elided below this */

struct layout {
	const struct table *table;
	const struct style *style;
	const struct column **columns; /* the visible ones */
	size_t *cell_of;	       /* and the place of their cells in a row */
	size_t *widths;
	size_t count;
	size_t left_out;    /* columns that found no room */
	struct cell *cells; /* of the row read last */
	uint64_t row;	    /* its number */
	struct tree_lines lines;
	struct buf text; /* of the cell shown last */
};

void layout_begin(struct layout *l, const struct table *t, const struct style *style);
/* Finds the widths; until then they are not known. */
void layout_measure(struct layout *l);
void layout_read_row(struct layout *l, uint64_t i);
/* What the row's cell shows, unelided; lives until the next call. */
struct str layout_cell_text(struct layout *l, size_t column);
/* Spaces in front of a column. */
size_t layout_gap(const struct layout *l, size_t column);
size_t layout_width(const struct layout *l);
void layout_end(struct layout *l);

#endif
