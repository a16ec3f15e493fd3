/* A cell as text, in the ways that more than one presenter needs. */
#ifndef REPORT_CELL_TEXT_H
#define REPORT_CELL_TEXT_H

#include "base/buf.h"
#include "report/report.h"

/* Whether a column holds words, which are aligned to the left and may be elided. */
bool column_is_text(const struct column *c);
/*
 * The kernels' names of the answer that this thread presents, or NULL: cells of tables, evidence
 * and labels of charts, which many hands show, are called the same.
 */
struct kernel_labels;
void cell_use_labels(struct kernel_labels *l);

/* With units, for people: "1.23 ms", "262 MB", "1,234", "yes"; a kernel's short name; "-". */
void cell_add_human(struct buf *b, enum unit unit, struct cell cell);
/* As the table shows it to people; one of nsys's: raw integers, fixed decimals, whole names. */
void cell_add_shown(struct buf *b, const struct table *t, const struct column *column,
		    const struct cell *cell);
/* The value itself, text unescaped: what a row's key is made of. Nothing for null. */
void cell_add_raw(struct buf *b, const struct cell *cell);

#endif
