/* A call of a tool on its way to an answer: what all tools have at hand. */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include "cli/command.h"
#include "mcp/mcp.h"
#include "mcp/page.h"
#include "mcp/tool.h"

struct call {
	struct mcp *mcp;
	struct open_traces *traces;
	const struct mcp_tool *tool;
	const struct json *arguments; /* checked; NULL: none */
	struct json *kept_arguments;  /* owned: of an earlier call that is asked again; or NULL */
	struct invocation inv;	      /* its report is the answer */
	bool has_invocation;
	struct arena arena;   /* what the invocation refers to */
	struct buf reproduce; /* a command line for people; empty: there is none */
	const char *next;     /* which call helps if it fails; NULL: the tool's own says it */
	struct page_place from;
	bool limits_rows; /* the tool keeps rows as far as this page goes: there may be more */
};

/* The invocation of a command or analysis, in place of any earlier one. */
void call_begin(struct call *c, const char *name, const struct command *command,
		const struct analysis *a);
/* The trace that the argument `trace` names, open, and the answer's head. */
int call_open_trace(struct call *c, const char *comm, struct open_trace **ret, struct err *e);
/* The real path of a file below the roots that an argument names, in the arena. */
int call_find_file(struct call *c, const char *name, const char **ret, struct err *e);
/* The word for the trace in a command line that works anywhere. */
const char *call_trace_word(struct call *c);
/* How many rows of a table this page may need. */
uint64_t call_rows(struct call *c);
/* Answers by an analysis that has its options. */
int call_run_analysis(struct call *c, struct err *e);

/* The call itself, by which a server started for it alone answers the same: no command does. */
void call_reproduce_call(struct call *c);
/* "gpuwhy", then these words, NULL after the last: what a person would type. */
void call_reproduce(struct call *c, ...) __attribute__((sentinel));
void call_reproduce_add(struct call *c, const char *word);

#endif
