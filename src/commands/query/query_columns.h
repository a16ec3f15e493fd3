/* The columns of a query's answer: keys for machines, titles for people, units. */
#ifndef CLI_QUERY_COLUMNS_H
#define CLI_QUERY_COLUMNS_H

#include "commands/query/query_rows.h"

/* Which kinds of cells a column has: bits 1 << enum cell_kind. */
typedef uint8_t cell_kinds;

/*
 * Columns in the report's arena. Keys are snake_case and differ from one another, whatever the
 * query calls them.
 */
struct column *query_columns_make(struct report *r, const struct sql_query *q,
				  const struct query_shape *shape, const cell_kinds *kinds);

#endif
