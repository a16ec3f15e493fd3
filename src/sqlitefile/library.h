/* libsqlite3, which nobody outside this folder knows. */
#ifndef SQLITEFILE_LIBRARY_H
#define SQLITEFILE_LIBRARY_H

#include "sqlitefile/internal.h"

#include <sqlite3.h>

/* The type of a local statement that is finalized when its block is left. */
#define SCOPED_STMT __attribute__((cleanup(library_end_scoped))) sqlite3_stmt
void library_end_scoped(sqlite3_stmt **stmt);

/*
 * Opens a connection of its own to the file, which it leaves as it is: immutably, or to the
 * sidecar's private copy. *ret is to be closed whether this fails or not.
 */
int library_open(struct sqlitefile *f, sqlite3 **ret, struct err *e);
/* libsqlite3 may take no more than so many bytes beyond what it has; 0: what a query may have. */
void library_limit_heap(int64_t more_bytes);
/* Nothing that the file brings along may do more than be read. */
int library_harden(sqlite3 *handle);
/* What is behind the tables: a log beside the file may hold more than the file. */
uint64_t library_bytes(const struct sqlitefile *f);
/* The longest text or blob that a sound file can hold, and room to work on it. */
int library_longest(const struct sqlitefile *f);
/* Of a value, which is text or can be read as such. */
struct str library_text(sqlite3_value *v);

#endif
