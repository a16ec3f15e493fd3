/* What the files behind sqlitefile/sql.h share. */
#ifndef SQLITEFILE_SQL_INTERNAL_H
#define SQLITEFILE_SQL_INTERNAL_H

#include "sqlitefile/library.h"
#include "sqlitefile/sql.h"

/* Names of tables that a statement reads, found while it is prepared. */
struct sql_names {
	char **items;
	size_t count, cap;
};

struct sql {
	sqlite3 *handle;
	struct sqlitefile *file;
	struct known_table *tables; /* see sql_table.c */
	bool (*stop)(void);
	double timeout_s;
	int64_t deadline_ns; /* of the query that runs; INT64_MAX: none */
	bool out_of_time;
	uint64_t effort;
	struct sql_names reads;
	const struct sql_hidden *hidden;
	size_t hidden_count;
	bool met_hidden;   /* by the statement that is being prepared */
	char denied[200];  /* what the statement would have done, had it been allowed to */
	struct err failed; /* of a table of the program's own */
};

/* sql_guard.c: from here on, statements that do more than read cannot be prepared. */
void sql_guard(struct sql *s);

/* sql_functions.c: median(x), percentile(x, p) and stddev(x); an SQLite code. */
int sql_functions_add(struct sql *s);

/* sql_table.c */
void sql_tables_free(struct known_table *first);

#endif
