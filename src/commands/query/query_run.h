/* Runs SQL that somebody wrote on a trace, and puts its answer into the report. */
#ifndef COMMANDS_QUERY_RUN_H
#define COMMANDS_QUERY_RUN_H

#include "cli/command.h"
#include "commands/query/query_rows.h"

struct query_job {
	const char *where; /* what messages call the text: "the query", or a file */
	struct str text;
	struct query_shape shape;
	bool explain;
	double timeout_s; /* 0: none */
	/* Fills the parameters; NULL: there may be none. */
	int (*bind)(void *ctx, struct sql_query *q, struct err *e);
	void *ctx;
};

/* How many rows to keep: as --limit says, else a thousand for people and all for machines: 0. */
uint64_t query_row_limit(struct invocation *inv);

/*
 * Answers into inv->report from inv->trace. Ctrl-C ends it: the program then dies of that signal,
 * as it does elsewhere, once the private copy that a trace may need is gone; where rows were only
 * being counted, there is an answer.
 */
int query_run(struct invocation *inv, const struct query_job *job, struct err *e);
/*
 * The same for a server, which goes on: the query ends when its time is up or `stop` says so, as
 * soon as SQLite looks.
 */
int query_answer(struct trace *t, struct report *r, const struct query_job *job, bool (*stop)(void),
		 struct err *e);
/* The same for a text that is input, not usage: what is wrong with it is ERR_INPUT. */
int query_run_file(struct invocation *inv, const struct query_job *job, struct err *e);

/*
 * Whether the text is SQL that only reads and returns the columns that are said, as far as can be
 * told without a trace.
 */
int query_check(const char *where, struct str text, const struct column_said *said,
		size_t said_count, struct err *e);

enum { QUERY_LARGEST_FILE = 1 << 20 };

#endif
