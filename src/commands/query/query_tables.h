/*
 * The tables that queries find beside the trace's own: kernels, copies, api, ranges and gpu_ops.
 * Names are resolved and launches joined with their calls and ranges by the program; only what a
 * query reads is loaded.
 */
#ifndef COMMANDS_QUERY_TABLES_H
#define COMMANDS_QUERY_TABLES_H

#include "analysis/events/event_fields.h"
#include "report/report.h"
#include "sqlitefile/sql.h"
#include "sqlitefile/sql_table.h"

enum { QUERY_TABLES = 5, QUERY_COLUMNS = EVENT_FIELDS };

/* One of them, as data. */
struct query_table_kind {
	const char *name;
	unsigned kinds;	 /* of events: NEEDS bits */
	uint64_t fields; /* its columns: EVENT_BITs */
};

extern const struct query_table_kind query_table_kinds[QUERY_TABLES];

struct query_table {
	const struct query_table_kind *kind;
	struct trace *trace;
	struct scope scope; /* no window: a query says itself what it wants */
	struct event_fields fields;
	bool is_open;
	enum event_field field_of[QUERY_COLUMNS]; /* by column */
	struct sql_table_column columns[QUERY_COLUMNS];
	uint64_t begin[TRACE_KINDS + 1]; /* of each kind's rows */
	uint32_t *nvtx_rows;		 /* of NVTX rows those that are ranges or marks */
	struct sql_table table;
};

struct query_tables {
	struct query_table all[QUERY_TABLES];
};

/*
 * Adds the tables to a connection, which they must outlive. One whose name a table of the trace
 * has is left out: the trace's own wins. Without a trace they can be named, and not read.
 */
int query_tables_add(struct query_tables *q, struct sql *s, struct trace *t, struct err *e);
void query_tables_free(struct query_tables *q);

/* What those who read an answer must know of the tables behind it. */
void query_tables_warn(const struct query_tables *q, const struct sql_query *query,
		       struct report *r);

/* Whether text in columns called "name" is kernels', as far as the query tells. */
bool query_tables_name_kernels(const struct sql_query *query);

/*
 * query_problem.c: what is wrong with somebody's SQL, and what they may have meant. Turns the
 * problem into an error; always -1. `where` names the text: "the query", or a file.
 * ERR_USAGE, or ERR_INPUT, marked absent, where the trace has no such table though others have.
 */
int query_problem_say(const struct sql_problem *p, const char *where, struct str text,
		      const struct trace *t, struct err *e);

#endif
