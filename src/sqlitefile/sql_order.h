/* The rows of a table of the program's own in the orders that queries ask for; each is found once.
 */
#ifndef SQLITEFILE_SQL_ORDER_H
#define SQLITEFILE_SQL_ORDER_H

#include "sqlitefile/sql_table.h"

struct sql_orders {
	struct sql_order *all;
	size_t count, cap;
};

/*
 * Rows sorted by the terms, "3+ 5-": column 3, then 5 descending. All columns must be open. NULL:
 * as they lie.
 */
const uint32_t *sql_orders_get(struct sql_orders *o, const struct sql_table *t, uint64_t rows,
			       const char *terms);
void sql_orders_free(struct sql_orders *o);

/* Columns and the values that they are to have: whole numbers or text, never NULL. */
struct sql_match {
	size_t count;
	size_t column[4];
	struct sql_value value[4];
};

/* The places [*begin, *end) in `order`, which is by these columns first, of rows that match. */
void sql_order_find(const struct sql_table *t, const uint32_t *order, uint64_t rows,
		    const struct sql_match *m, uint64_t *begin, uint64_t *end);

#endif
