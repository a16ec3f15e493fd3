/*
 * Small tables read whole: what an export says about itself. Not for events.
 * A bound on the rows keeps a hostile table from filling memory.
 */
#ifndef TRACE_SMALL_TABLE_H
#define TRACE_SMALL_TABLE_H

#include "trace/trace.h"

enum { SMALL_TABLE_ROWS = 100000 };

struct value {
	enum sqlite_type type;
	int64_t i;
	double r;
	struct str s;
};

struct small_table {
	size_t rows;
	size_t columns;
	struct value *values; /* row by row, in the trace's arena */
};

/*
 * Reads the named columns (NULL ends the list) of a table; columns that it lacks hold NULLs. An
 * absent table has no rows. Rows past SMALL_TABLE_ROWS are left out.
 */
int trace_read_small(struct trace *t, const char *table, const char *const *columns,
		     struct small_table *ret, struct err *e);

/* The name of the machine that it was captured on; empty where that is not said. */
int trace_read_host(struct trace *t, struct str *ret, struct err *e);

static inline const struct value *small_value(const struct small_table *s, size_t row, size_t col)
{
	return &s->values[row * s->columns + col];
}

/* The integer, or `otherwise` when it is not one. */
static inline int64_t value_int(const struct value *v, int64_t otherwise)
{
	return v->type == SQLITE_IS_INT ? v->i : otherwise;
}

#endif
