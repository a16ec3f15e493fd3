/* What ends a query that SQLite cannot be told to end: the program does. */
#ifndef CLI_QUERY_WATCH_H
#define CLI_QUERY_WATCH_H

#include "sqlitefile/sqlitefile.h"

struct query_watch;

/*
 * From here on, a query that goes on for a second beyond its time (0: it has any), or beyond a
 * signal that is held (input/interrupt.h), ends the program: with exit code 4 and a message, or of
 * that signal. The file's private copy goes first. Without a thread to be had nothing is watched.
 */
struct query_watch *query_watch_begin(const struct sqlitefile *f, double timeout_s);
void query_watch_end(struct query_watch *w); /* NULL is fine */

#endif
