/* Calls that were answered, by the ids that their answers have: "E3" can be asked for again. */
#ifndef MCP_KEPT_CALLS_H
#define MCP_KEPT_CALLS_H

#include "base/buf.h"

#include <stdint.h>

enum { KEPT_CALLS_MOST = 256 };

struct mcp_tool;

struct kept_call {
	uint64_t number;
	const struct mcp_tool *tool;
	char *arguments; /* as JSON, without the cursor */
};

struct kept_calls {
	struct kept_call all[KEPT_CALLS_MOST]; /* the newest in place of the oldest */
	uint64_t count;			       /* that there ever were */
};

/* Its number; that of an earlier one that asked for the same. */
uint64_t kept_calls_add(struct kept_calls *k, const struct mcp_tool *t, const char *arguments);
/* By an id such as "E3"; NULL: it is none, or too long ago. */
const struct kept_call *kept_calls_find(const struct kept_calls *k, const char *id);
void kept_calls_free(struct kept_calls *k);

#endif
