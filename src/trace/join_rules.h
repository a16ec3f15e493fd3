/* Which columns of exports hold what means something else in each of several: for joined.c. */
#ifndef TRACE_JOIN_RULES_H
#define TRACE_JOIN_RULES_H

#include "sqlitefile/join.h"

enum join_kind {
	JOIN_AS_IS,
	JOIN_TIME,    /* on the capture's clock */
	JOIN_END,     /* likewise; its event lasts as long as before */
	JOIN_SPAN,    /* a length that counts from the capture's start */
	JOIN_UTC,     /* the UTC of the capture's time 0 */
	JOIN_PROCESS, /* host, VM and pid in the upper bits */
	JOIN_PID,     /* a pid alone */
	JOIN_STRING,  /* a number of StringIds */
	JOIN_STACK,   /* a number of a table of call stacks */
	JOIN_GPU,     /* a GPU's number in the export */
	JOIN_METRICS, /* a GPU's number in the lowest byte */
};

struct join_rule join_rule_of(const struct sqlite_table *t, size_t column);

#endif
