/* Tables that are no kind of event, by row: what is kept of them is for those who ask to say. */
#ifndef TRACE_OTHER_TABLE_H
#define TRACE_OTHER_TABLE_H

#include "trace/trace.h"

/*
 * Reads the named columns of a table on all cores. Where the table is absent or lacks one of them,
 * nothing is read. begin(), which may be NULL, is called once.
 */
int trace_read_rows(struct trace *t, const char *table, const char *const *columns, size_t count,
		    const struct sqlite_reader *reader, struct err *e);

#endif
