/* Which tools are there, and what does a client learn of them? */
#include "mcp/tools_call.h"

#include "base/mem.h"
#include "mcp/tool.h"
#include "text/text.h"

/* In the order in which an agent would use them. */
static const struct mcp_tool *const tools[] = {
	&tool_trace_info, &tool_analyze,  &tool_ask,  &tool_skill_list,	  &tool_skill_run,
	&tool_query,	  &tool_timeline, &tool_diff, &tool_evidence_get, &tool_profile,
};

static bool is_there(const struct mcp_tool *t, bool may_run)
{
	return may_run || !t->runs_programs;
}

const struct mcp_tool *mcp_tool_at(size_t i, bool may_run)
{
	for (size_t k = 0; k < ARRAY_LEN(tools); k++) {
		if (is_there(tools[k], may_run) && !i--)
			return tools[k];
	}
	return NULL;
}

const struct mcp_tool *mcp_tool_find(struct str name, bool may_run)
{
	const struct mcp_tool *t;

	for (size_t i = 0; (t = mcp_tool_at(i, may_run)); i++) {
		if (str_eq(name, str_of(t->name)))
			return t;
	}
	return NULL;
}

static void add_tool(struct buf *b, const struct mcp_tool *t)
{
	buf_adds(b, "{\"name\":");
	text_add_json(b, str_of(t->name));
	buf_adds(b, ",\"title\":");
	text_add_json(b, str_of(t->title));
	buf_adds(b, ",\"description\":");
	text_add_json(b, str_of(t->description));
	buf_adds(b, ",\"inputSchema\":");
	schema_add_input(b, t);
	buf_adds(b, ",\"outputSchema\":");
	schema_add_output(b);
	buf_addf(b,
		 ",\"annotations\":{\"readOnlyHint\":%s,\"destructiveHint\":%s,"
		 "\"idempotentHint\":%s,\"openWorldHint\":%s}}",
		 t->runs_programs ? "false" : "true", t->runs_programs ? "true" : "false",
		 t->runs_programs ? "false" : "true", t->runs_programs ? "true" : "false");
}

void tools_list(const struct mcp *m, struct buf *members)
{
	const struct mcp_tool *t;

	buf_adds(members, "\"tools\":[");
	for (size_t i = 0; (t = mcp_tool_at(i, m->may_run)); i++) {
		buf_adds(members, i ? "," : "");
		add_tool(members, t);
	}
	buf_addc(members, ']');
}
