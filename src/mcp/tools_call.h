/* A call of a tool from its request to the members of its result. */
#ifndef MCP_TOOLS_CALL_H
#define MCP_TOOLS_CALL_H

#include "mcp/mcp.h"

/* -1: the request itself is wrong. What is wrong with arguments is a result that says so. */
int tools_call(struct mcp_worker *w, const struct message *request, struct buf *members,
	       struct rpc_error *e);
/* The tools that there are, as members of a result. */
void tools_list(const struct mcp *m, struct buf *members);

#endif
