/*
 * The table that people know from every analysis: a row per name (and, with --by, per device,
 * process or stream) with total, share, count, mean, percentiles, extremes and deviation, sorted
 * and cut as asked.
 */
#ifndef ANALYSIS_TIME_TABLE_H
#define ANALYSIS_TIME_TABLE_H

#include "analysis/analysis.h"
#include "analysis/grouping.h"
#include "analysis/line_groups.h"

struct time_row {
	struct str name;
	struct group_key key;
	struct summary s;
	struct cell extra[4];
};

struct time_table {
	enum group_by by;	    /* what rows are of, beside their name */
	const char *name;	    /* machine name, plural: "kernels" */
	const char *title;	    /* NULL: the answer's heading says it */
	const char *kind;	    /* head of row keys: "kernel" */
	struct column name_column;  /* the first column */
	const struct column *extra; /* columns after the times, from time_row.extra */
	size_t extra_count;
	const struct line_groups *lines; /* where rows are by line, too: the last columns; NULL */
	struct time_row *rows;
	size_t count;
};

/* Adds the table; ERR_USAGE when a->rows.sort is not one of its columns. */
int time_table_report(struct report *r, const struct trace *t, const struct table_args *a,
		      const struct time_table *table, struct err *e);

/* Says how many events of a kind were left out because their times cannot be read. */
void warn_without_times(struct report *r, uint64_t count, enum trace_kind kind);

/* An empty answer must not look like an empty trace: says that filters left no rows. */
void warn_filtered_out(struct report *r, size_t rows, const struct scope *p);

/*
 * Sorts rows as chosen, or by the column `otherwise`, numbers descending, and cuts at the limit.
 * Without `otherwise` they stay as they were added.
 */
int rows_arrange(struct rows *rows, const struct row_choice *c, const char *otherwise,
		 struct err *e);

/* The same for a further table of an answer: c->sort is for those that have such a column. */
void rows_arrange_also(struct rows *rows, const struct row_choice *c, const char *otherwise);

/* People do not see columns in which no row has a value; to be called before rows are arranged. */
void rows_hide_empty(struct rows *rows);

bool table_has_column(const struct table *t, const char *key);

/* Columns for --by and their cells: device, pid, stream as they apply. At most three. */
size_t by_columns(enum group_by by, struct column *out);
size_t by_cells(enum group_by by, const struct trace *t, const struct group_key *k,
		struct cell *out);

/*
 * Columns and values that an export lacks and an answer about the GPUs would have used: it is given
 * all the same, and says what is missing, what that means, and how to have it.
 */

/* A warning for each. */
int missing_warn(struct report *r, struct trace *t, struct err *e);

#endif
