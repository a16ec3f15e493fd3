/* What a query answers, as a table of the report. */
#ifndef COMMANDS_QUERY_ROWS_H
#define COMMANDS_QUERY_ROWS_H

#include "report/report.h"
#include "sqlitefile/sql.h"

/* What somebody said of a column of the answer, in place of a guess. */
struct column_said {
	const char *name;
	enum unit unit;
	const char *title; /* NULL: the name */
};

struct query_shape {
	const char *name;  /* of the table, for machines */
	const char *title; /* for people, or NULL */
	uint64_t limit;	   /* rows to keep; 0: all */
	bool names_are_kernels;
	const struct column_said *said;
	size_t said_count;
};

/*
 * Runs the query to its end and adds the table. Beyond the limit rows are only counted, for a
 * second at most: where that ends early, for whatever reason, a warning says so. ERR_SYSTEM when
 * the answer is too large to keep.
 */
int query_rows_read(struct report *r, struct sql_query *q, const struct query_shape *shape,
		    struct err *e);

#endif
