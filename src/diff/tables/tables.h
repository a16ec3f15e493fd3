/* For diff_report(): one function a table. */
#ifndef DIFF_TABLES_TABLES_H
#define DIFF_TABLES_TABLES_H

#include "diff/tables/diff_runs.h"
#include "diff/tables/diff_views.h"

struct cell table_percent(double share);
/* Columns in which no row has anything are for machines. */
void table_hide_empty(struct rows *rows);

void diff_add_sides(struct report *r, const struct diff *d);
void diff_add_changes(struct report *r, const struct diff *d, double tolerance);
void diff_add_hindrances(struct report *r, const struct diff *d);
/* The account by what a view says; `limit` of its rows, and the rest as one; 0: all. */
int diff_add_view(struct report *r, const struct diff *d, enum diff_view view, uint64_t limit,
		  struct err *e);
void diff_add_rows(struct report *r, const struct diff *d, uint64_t limit);
void diff_add_kinds(struct report *r, const struct diff *d);
void diff_add_host(struct report *r, const struct diff *d, uint64_t limit);

#endif
