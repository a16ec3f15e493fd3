/* What the files behind sqlitefile/sql.h share. */
#ifndef SQLITEFILE_SQL_INTERNAL_H
#define SQLITEFILE_SQL_INTERNAL_H

#include "sqlitefile/library.h"
#include "sqlitefile/sql_table.h"

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
	bool was_stopped;
	bool is_counting; /* rows, for a moment and no longer */
	bool had_enough;  /* of that */
	int64_t moment_ns;
	uint64_t most_effort;
	bool preparing;
	uint64_t effort; /* in SQLite's instructions, to some thousands */
	struct sql_names reads;
	struct shadow *shadows; /* see sql_shadow.c */
	struct sql_root *roots; /* of b-trees that only they may read */
	size_t root_count, root_cap;
	struct sql_names made_up; /* tables */
	bool met_hidden;	  /* by the statement that runs */
	char denied[200];	  /* what the statement would have done, had it been allowed to */
	struct err failed;	  /* of a table of the program's own */
};

struct sql_root {
	int64_t page;
	char *table;
};

/* sql_guard.c: from here on, statements that do more than read cannot be prepared. */
void sql_guard(struct sql *s);
/* Until then the program may make temporary tables, and those of a database in memory. */
void sql_unguard(struct sql *s);

/* sql_functions.c: median(x), percentile(x, p), stddev(x) and x REGEXP p; an SQLite code. */
int sql_functions_add(struct sql *s);

/* sql_hidden.c: whether the statement reads b-trees that only the shadows of tables may read. */
int sql_check_hidden(struct sql *s, sqlite3_stmt *stmt, struct sql_problem *p);
void sql_roots_free(struct sql *s);

/* sql_shadow.c: whether the file has anything that the rule speaks of. */
bool shadow_is_needed(const struct sql *s, const struct sql_hidden *rule);
/*
 * The table as the rule has it shown, the connection's own, whose s->met_hidden it sets. NULL: it
 * has too many columns to be shown.
 */
const struct sql_table *shadow_new(struct sql *s, const struct sql_hidden *rule);
void shadows_free(struct shadow *first);

/* sql.c */
/* Its text, without the semicolons and comments before it: EXPLAIN may come there instead. */
const char *sql_statement(sqlite3_stmt *stmt);
/* Whether the query has had its time, or is told to stop: who works for it asks now and then. */
bool sql_must_end(struct sql *s);

/* What preparing a statement may take: WITH tables and views may well double at each mention. */
enum { SQL_PREPARING_BYTES = 128 << 20 };

/* sql_failure.c */

/* Where in the text the problem is, by its bytes. */
void sql_problem_place(struct sql_problem *p, struct str text, size_t offset);
/* Why the text, of which `base` bytes came before, could not be prepared; always -1. */
int sql_problem_describe(struct sql *s, struct str text, size_t base, struct sql_problem *p);
/* Whether it was for another reason than what the query says: then *e has it. */
bool sql_is_refused(const struct sql *s, int rc, struct err *e);
/* Why a step, or a value for it, failed with that code; always -1. */
int sql_fail(const struct sql *s, int rc, struct err *e);

/* sql_order.c: rows of the program's own tables in the orders that queries ask for, each kept. */
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

/* sql_table.c */
void sql_tables_free(struct known_table *first);

#endif
