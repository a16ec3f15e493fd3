/*
 * A table of a report as a list that can be sorted, filtered and scrolled to all sides. The table
 * is somebody else's and lives as long as the pane.
 */
#ifndef TUI_TABLE_PANE_H
#define TUI_TABLE_PANE_H

#include "report/report.h"
#include "tui/app.h"
#include "tui/list.h"

struct kernel_labels;

struct table_pane {
	const struct table *table;
	struct kernel_labels *labels; /* short names of kernels; NULL: none */
	bool whole_names;
	size_t *columns; /* that people see: their places in a row */
	int *widths;
	size_t column_count, first_column;
	uint64_t *rows; /* that are shown, in their order */
	struct list list;
	size_t sorted; /* the column of `columns`; column_count: as the table has them */
	bool descending;
	struct buf filter;
	struct cell *cells; /* of one row */
};

/* `report` is where names of kernels come from. */
void table_pane_make(struct table_pane *p, const struct table *t, const struct report *report);
void table_pane_free(struct table_pane *p);
void table_pane_draw(struct table_pane *p, struct canvas *c, struct area area);
/* 0: it was for the pane; 1: not; -1: *e. */
int table_pane_request(struct table_pane *p, struct app *a, enum request r,
		       const struct key_event *k, struct err *e);
/* Only rows that a pattern matches; "" for all. */
int table_pane_filter(struct table_pane *p, const char *pattern, struct err *e);
/* The chosen row of the table; UINT64_MAX: there is none. */
uint64_t table_pane_chosen(const struct table_pane *p);
/* "row 3 of 43, by total" */
void table_pane_status(const struct table_pane *p, struct buf *b);

#endif
