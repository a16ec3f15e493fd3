/*
 * Resources: what can be read beside answers. The schema of answers and of the tables for SQL, the
 * skills, and the reports in folders of runs below the roots.
 */
#ifndef MCP_RESOURCES_H
#define MCP_RESOURCES_H

#include "mcp/mcp.h"

/* Each the members of a result. */
void resources_list(const struct mcp *m, struct buf *members);
void resource_templates_list(struct buf *members);
int resources_read(struct mcp_worker *w, const struct message *request, struct buf *members,
		   struct rpc_error *e);

#endif
