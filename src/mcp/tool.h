/*
 * Tools: what an agent may call. Each is a constant that describes itself at the end of a file of
 * src/mcp/tools/: its schema, the check of its arguments and its place in the list come from that.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include "base/buf.h"
#include "base/err.h"
#include "text/json_read.h"

struct call;

enum tool_param_type {
	PARAM_END,
	PARAM_TEXT,
	PARAM_INT,
	PARAM_TEXTS,   /* an array */
	PARAM_OPTIONS, /* an object: options of an analysis, by their long names */
};

struct tool_param {
	enum tool_param_type type;
	const char *name;
	const char *help;
	bool is_required;
	int64_t least, most;	  /* PARAM_INT; PARAM_TEXTS: how many */
	const char *const *words; /* PARAM_TEXT: one of these; NULL: any */
};

#define PARAM_TRACE                                                                           \
	{                                                                                     \
		.type = PARAM_TEXT, .name = "trace", .is_required = true,                     \
		.help = "A trace below the roots, as trace_info lists it: an Nsight Systems " \
			"export (.sqlite, also .gz or .zst)."                                 \
	}
#define PARAM_CURSOR                                                                          \
	{                                                                                     \
		.type = PARAM_TEXT, .name = "cursor",                                         \
		.help = "mcp.next_cursor of the answer before, with the same arguments: the " \
			"next rows."                                                          \
	}
#define PARAM_LAST()              \
	{                         \
		.type = PARAM_END \
	}

struct mcp_tool {
	const char *name; /* [a-z_]{1,24} */
	const char *title, *description;
	const struct tool_param *params; /* PARAM_LAST() after the last */
	const char *next;		 /* which call helps where one failed */
	bool runs_programs;		 /* only where that is allowed; all others change nothing */
	/* Answers into call->inv.report. */
	int (*run)(struct call *c, struct err *e);
};

extern const struct mcp_tool tool_trace_info, tool_analyze, tool_ask, tool_skill_list,
	tool_skill_run, tool_query, tool_timeline, tool_diff, tool_evidence_get, tool_profile;

/* Those there are, in a stable order; NULL after the last. */
const struct mcp_tool *mcp_tool_at(size_t i, bool may_run);
const struct mcp_tool *mcp_tool_find(struct str name, bool may_run);

/* arguments.c: ERR_USAGE that tells what to pass instead, where they are not what the tool takes.
 */
int arguments_check(const struct mcp_tool *t, const struct json *arguments, struct err *e);
/* Of arguments that were checked; NULL: it was not passed. */
const char *argument_text(const struct json *arguments, const char *name);
int64_t argument_int(const struct json *arguments, const char *name, int64_t otherwise);

/* schema.c: JSON Schemas, without references or unions. */
void schema_add_input(struct buf *b, const struct mcp_tool *t);
/* What every tool answers: the JSON of the commands, and `mcp` beside it. */
void schema_add_output(struct buf *b);

#endif
