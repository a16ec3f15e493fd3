/* Where each kind of event lies in an export, as data: tables, columns, and how a column is stored.
 */
#ifndef TRACE_KINDS_H
#define TRACE_KINDS_H

#include "trace/trace.h"

enum field_type {
	FIELD_TIME,	/* int64 */
	FIELD_DURATION, /* int64: the column minus "start" */
	FIELD_INT,	/* int64 */
	FIELD_ID,	/* uint32 */
	FIELD_PROCESS,	/* uint32: interned globalPid >> 24 */
	FIELD_THREAD,	/* uint32: interned globalTid */
	FIELD_NAME,	/* uint32: number of the StringIds entry */
	FIELD_GRAPH,	/* uint32: the upper half of a graph node's id, which is its graph's */
	FIELD_TEXT,	/* the text itself, where there is no id; shares the array of FIELD_NAME */
};

struct field {
	enum trace_column column;
	const char *sql_name;
	enum field_type type;
	size_t offset; /* of the array in struct events */
};

struct kind {
	const char *title;
	const char *flag;
	const char *tables[3];	/* names by preference */
	const char *name_holds; /* else: a table whose name contains this and has start and end */
	const struct field *fields;
	size_t field_count;
};

extern const struct kind trace_kinds[TRACE_KINDS];

#endif
