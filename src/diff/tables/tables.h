/* For diff_report(): one function a table. */
#ifndef DIFF_TABLES_TABLES_H
#define DIFF_TABLES_TABLES_H

#include "diff/tables/diff_runs.h"
#include "diff/tables/diff_views.h"

struct cell table_percent(double share);
/*
 * People see `limit` rows of the table that was added last, of which the first `most` are worth a
 * line, and the rest as one; as many as their screen has room for where the report fits one. 0: all
 * of them.
 */
void table_limit(struct report *r, struct rows *rows, uint64_t most, uint64_t limit);
/* Columns in which no row has anything are for machines. */
void table_hide_empty(struct rows *rows);

void diff_add_sides(struct report *r, const struct diff *d);
void diff_add_changes(struct report *r, const struct diff *d, double tolerance);
void diff_add_hindrances(struct report *r, const struct diff *d);
/* The same on one screen: sentences in place of tables. */
void diff_note_sides(struct report *r, const struct diff *d);
void diff_warn_unlike(struct report *r, const struct diff *d);
/* Pauses between steps and partial steps of either side, if there are any: on any screen. */
void diff_note_left_out(struct report *r, const struct diff *d);
/*
 * What another mix of kinds of steps adds to the mean step of a side, or takes from it: with it
 * columns sum up to the step. People would take that for a time, which is never below 0: they see
 * the change alone.
 */
struct cell table_mix_cell(int64_t ns, bool people);
/* The account by what a view says; `limit`: see table_limit(). */
int diff_add_view(struct report *r, const struct diff *d, enum diff_view view, uint64_t limit,
		  bool people, struct err *e);
/* `people` see the step, too, which the rows sum up to. */
void diff_add_rows(struct report *r, const struct diff *d, uint64_t limit, bool people);
void diff_add_kinds(struct report *r, const struct diff *d);
/* Of runs of several ranks; whether there are any. */
bool diff_knows_waits(const struct diff *d);
void diff_add_ranks(struct report *r, const struct diff *d, uint64_t limit);
void diff_add_collectives(struct report *r, const struct diff *d, uint64_t limit);
void diff_add_host(struct report *r, const struct diff *d, uint64_t limit);

#endif
