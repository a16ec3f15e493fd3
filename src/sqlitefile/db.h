/* libsqlite3, for what this module does not read itself. */
#ifndef SQLITEFILE_DB_H
#define SQLITEFILE_DB_H

#include "sqlitefile/internal.h"

/* Opens f->db unless it is open: the file itself immutably, or the sidecar's private copy. */
int db_open(struct sqlitefile *f, struct err *e);
void db_close(struct db *db); /* NULL is fine */

/* Every row of sqlite_master to schema_add_row(). */
int db_read_schema(struct sqlitefile *f, struct err *e);

/* Fills t's columns as libsqlite3 knows them. -1: it cannot tell, t unchanged. */
int db_describe(struct sqlitefile *f, struct table *t, struct err *e);

int db_count_rows(struct sqlitefile *f, const struct table *t, uint64_t *ret, struct err *e);

/* Batches of all rows, which must be `rows`, on this thread, as worker 0. */
int db_scan(struct sqlitefile *f, const struct table *t, const int *columns, size_t count,
	    uint64_t rows, sqlite_batch_fn *fn, void *ctx, struct err *e);

#endif
