/* Values of one event, read by itself: what few ask for is not loaded for millions. */
#ifndef TRACE_EVENT_ROW_H
#define TRACE_EVENT_ROW_H

#include "trace/trace.h"

enum { EVENT_ROW_MOST = 16 }; /* columns at once */

/*
 * Whole numbers in columns of a row that any column of its kind was loaded of. INT_NONE: the export
 * has no such column, or no such number there. -1: *e.
 */
int event_row_read(struct trace *t, enum trace_kind kind, uint64_t row,
		   const enum trace_column *columns, size_t count, int64_t *ret, struct err *e);

#endif
