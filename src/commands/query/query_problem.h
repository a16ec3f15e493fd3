/* What is wrong with somebody's SQL, in one message, and what they may have meant. */
#ifndef CLI_QUERY_PROBLEM_H
#define CLI_QUERY_PROBLEM_H

#include "sqlitefile/sql.h"
#include "trace/trace.h"

/*
 * Turns the problem into an error; always -1. `where` names the text: "the query", or a file.
 * ERR_USAGE, or ERR_INPUT, marked absent, where the trace has no such table though others have.
 */
int query_problem_say(const struct sql_problem *p, const char *where, struct str text,
		      const struct trace *t, struct err *e);

#endif
