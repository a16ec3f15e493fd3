/*
 * A table of the program's own for the queries of a connection: rows are whatever the callbacks say
 * they are. Rows are handed out in the order that a query wants (GROUP BY and ORDER BY need no sort
 * of SQLite's), and joins on whole numbers look rows up.
 */
#ifndef SQLITEFILE_SQL_TABLE_H
#define SQLITEFILE_SQL_TABLE_H

#include "sqlitefile/sql.h"

struct sql_table_column {
	const char *name;
	const char *type; /* "INTEGER": values are whole numbers or NULL; "REAL", "TEXT" */
	bool is_rowid;	  /* its values are the numbers by which find() finds rows */
};

struct sql_table {
	const char *name;
	const struct sql_table_column *columns;
	size_t column_count; /* at most 64 */
	void *ctx;
	/* How many rows there are; asked first. */
	int (*count)(void *ctx, uint64_t *ret, struct err *e);
	/* Makes columns (bits) available, asked again for more; NULL: they are from count() on. */
	int (*open)(void *ctx, uint64_t columns, struct err *e);
	/* Text lives until the next call for the same column, or with *ret_lasts for good. */
	struct sql_value (*value)(void *ctx, uint64_t row, size_t column, bool *ret_lasts);
	/* Numbers by row that sort as the values do, NULL first. For the caller to free. */
	int64_t *(*keys)(void *ctx, size_t column);
	/* Columns may hold other types, too: keys then only tell values of their own apart. */
	bool is_mixed;
	/* The row of that rowid; false: there is none. NULL: rows are numbered from 1. */
	bool (*find)(void *ctx, int64_t rowid, uint64_t *ret_row);
	int64_t (*rowid)(void *ctx, uint64_t row);
};

/* The table and what it refers to must outlive the connection. */
int sql_add_table(struct sql *s, const struct sql_table *t, struct err *e);

/* Puts the table in the place of the file's own of that name; the same. */
int sql_replace_table(struct sql *s, const struct sql_table *t, struct err *e);

#endif
