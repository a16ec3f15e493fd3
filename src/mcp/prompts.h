/* Prompts: a way to go about it that a person chooses. */
#ifndef MCP_PROMPTS_H
#define MCP_PROMPTS_H

#include "mcp/message.h"

/* What a model is told of the server at first, in few words. */
extern const char mcp_instructions[];

void prompts_list(struct buf *members);
int prompts_get(const struct message *request, struct buf *members, struct rpc_error *e);

#endif
