/*
 * Several files read as one: each table holds the rows of the first file, then those of the next,
 * with the columns of all of them; a file that lacks a column has NULLs there. Whoever joins says
 * how values of a file become values of all: ids that mean something else in each, times of another
 * clock.
 *
 * SQL is not for it, and it writes nothing; the files stay their owners'.
 */
#ifndef SQLITEFILE_JOIN_H
#define SQLITEFILE_JOIN_H

#include "sqlitefile/sqlitefile.h"

/* What becomes of the integers of a column. */
struct join_rule {
	unsigned kind; /* 0: nothing */
	int beside;    /* a column of the same table that tells more about each row; or -1 */
};

struct join_rules {
	/* Of a column of the joined table. */
	struct join_rule (*of)(void *ctx, const struct sqlite_table *t, size_t column);
	/*
	 * Writes the values of some rows of a file to `to`. `beside` is NULL where the file lacks
	 * that column. Called by several threads at once.
	 */
	void (*map)(void *ctx, size_t file, unsigned kind, const struct sqlite_values *from,
		    const struct sqlite_values *beside, size_t rows, int64_t *to);
	void *ctx;
};

/* The rules' context must live as long as what is made. */
void sqlitefile_join(struct sqlitefile **ret, struct sqlitefile *const *files, size_t count,
		     const struct join_rules *rules);

#endif
