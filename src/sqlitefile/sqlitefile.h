/*
 * A SQLite database file, read-only, as columns.
 *
 * The file format is read directly (public specification): pages are mapped, leaf pages are
 * decoded on all cores, and of each record only the wanted columns. What this reader declines (a
 * hot journal or write-ahead log, UTF-16, WITHOUT ROWID, views, virtual tables, unknown reserved
 * bytes, columns whose value is not in the record) libsqlite3 reads instead, with the same result.
 * Neither path ever writes to the file or its folder.
 *
 * Every byte of the file is hostile: corruption is an ERR_INPUT naming file, table and page.
 */
#ifndef SQLITEFILE_SQLITEFILE_H
#define SQLITEFILE_SQLITEFILE_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlitefile;

/* What a value is, as SQLite says it: any column may hold any of these in any row. */
enum sqlite_type { SQLITE_IS_NULL, SQLITE_IS_INT, SQLITE_IS_REAL, SQLITE_IS_TEXT, SQLITE_IS_BLOB };

struct sqlite_column {
	const char *name;
	const char *type;	/* as declared, "" when it has none */
	const char *references; /* "TABLE(column)": of a REFERENCES clause or the comment */
	const char *comment;	/* the rest of the trailing -- comment; either may be NULL */
};

struct sqlite_table {
	const char *name;
	const char *sql;     /* the CREATE statement as stored */
	const char *comment; /* the -- comment at the head of the body, or NULL */
	const struct sqlite_column *columns;
	size_t column_count;
	bool is_view; /* listed in the schema, but holds no rows of its own */
};

/* Asked now and then while columns are read, by any thread; true ends that with an error. */
void sqlitefile_set_stop(struct sqlitefile *f, bool (*stop)(void));

/*
 * Opens `path`. Errors: missing, a folder, unreadable (ERR_SYSTEM for permission), empty, not
 * SQLite, truncated before its schema can be read. `path` is only used in messages after this.
 */
int sqlitefile_open(struct sqlitefile **ret, const char *path, struct err *e);
/* The same, with libsqlite3 doing all the reading: for tests and comparisons. */
int sqlitefile_open_with_library(struct sqlitefile **ret, const char *path, struct err *e);
/*
 * Removes the private copy that a log beside the file may have made necessary, whoever is reading
 * it: for a program that ends at once.
 */
void sqlitefile_remove_copy(const struct sqlitefile *f);
/* The same of all files that this program has open or opens; nothing can be copied after this. */
void sqlitefile_remove_copies(void);
void sqlitefile_close(struct sqlitefile *f); /* NULL is fine */

const char *sqlitefile_path(const struct sqlitefile *f);
uint64_t sqlitefile_size_bytes(const struct sqlitefile *f);
/* NULL when this reader reads the file itself, else why libsqlite3 does. */
const char *sqlitefile_declined(const struct sqlitefile *f);

/* Tables (and views) in schema order. sqlite_* tables of SQLite's own are left out. */
size_t sqlitefile_table_count(const struct sqlitefile *f);
const struct sqlite_table *sqlitefile_table(const struct sqlitefile *f, size_t i);
/* By name, ASCII case-insensitive as SQL is; NULL when there is none. */
const struct sqlite_table *sqlitefile_find_table(const struct sqlitefile *f, const char *name);
/* The column's index, or -1. */
int sqlite_table_find_column(const struct sqlite_table *t, const char *name);

/* Exact number of rows; visits every leaf page's header but decodes nothing. */
int sqlitefile_count_rows(struct sqlitefile *f, const struct sqlite_table *t, uint64_t *ret,
			  struct err *e);

/* Whether there is any row at all: at once, whatever the table's size. */
int sqlitefile_has_rows(struct sqlitefile *f, const struct sqlite_table *t, bool *ret,
			struct err *e);

/* Nobody looked whether the values are all of one type. */
#define SQLITE_IS_ANY 0xff

/* One wanted column of a scan: its values in one batch, each array `rows` long. */
struct sqlite_values {
	const uint8_t *type;  /* enum sqlite_type */
	const int64_t *num;   /* the integer; a REAL's bits; the length of TEXT and BLOB in bytes */
	const char *const *s; /* TEXT and BLOB: the bytes, not terminated, NULL for other types */
	uint8_t all;	      /* the type that all of them are known to have, or SQLITE_IS_ANY */
};

/* A run of consecutive rows in table order. All pointers live only during the callback,
 * except that `s` lives as long as the file is open. */
struct sqlite_batch {
	uint64_t first_row; /* position of the first row in the table, from 0 */
	size_t rows;
	const struct sqlite_values *values; /* one per wanted column, in the order asked */
};

/*
 * Called once per batch, by several threads at once, batches in any order; `worker` is below
 * parallel_workers().
 */
typedef int sqlite_batch_fn(void *ctx, const struct sqlite_batch *b, unsigned worker,
			    struct err *e);

struct sqlite_scan;

/*
 * Prepares to read `count` columns (indices into t->columns) of a table and tells how many rows
 * there are, so that the caller can allocate whole columns. Batches then fill [0, *ret_rows) once,
 * without gaps. An INTEGER PRIMARY KEY column gives the rowid, a REAL column's integers
 * are REAL, as SQL would have it.
 */
int sqlite_scan_open(struct sqlite_scan **ret, struct sqlitefile *f, const struct sqlite_table *t,
		     const int *columns, size_t count, uint64_t *ret_rows, struct err *e);
int sqlite_scan_run(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, struct err *e);
/* The same by the caller's thread alone, as worker 0: batches come in the order of the table. */
int sqlite_scan_run_in_order(struct sqlite_scan *s, sqlite_batch_fn *fn, void *ctx, struct err *e);
/* The same for the rows of the page that holds one row, which must be there; libsqlite3 reads all.
 */
int sqlite_scan_run_row(struct sqlite_scan *s, uint64_t row, sqlite_batch_fn *fn, void *ctx,
			struct err *e);
void sqlite_scan_close(struct sqlite_scan *s); /* NULL is fine */

/*
 * The same in one call, and quicker on large tables: rows are not counted beforehand where rowids
 * have no gaps. begin() is told the number of rows before the first batch. When it turns out that
 * there are gaps it is called again, and everything starts anew: it must undo what batches have
 * done.
 */
struct sqlite_reader {
	int (*begin)(void *ctx, uint64_t rows, struct err *e);
	sqlite_batch_fn *batch;
	void *ctx;
};

int sqlitefile_read(struct sqlitefile *f, const struct sqlite_table *t, const int *columns,
		    size_t count, const struct sqlite_reader *reader, struct err *e);

/*
 * For those who look for few rows of many: whether a batch may hold one, by its values of the first
 * column alone. Of others no more is read, and they are not handed out; libsqlite3 hands out all.
 */
typedef bool sqlite_wants_fn(void *ctx, const struct sqlite_values *first, size_t rows);

int sqlitefile_read_some(struct sqlitefile *f, const struct sqlite_table *t, const int *columns,
			 size_t count, const struct sqlite_reader *reader, sqlite_wants_fn *wants,
			 struct err *e);

static inline double sqlite_real(int64_t num)
{
	double d;

	memcpy(&d, &num, sizeof(d));
	return d;
}

#endif
