/* Calls that were answered, by the ids that their answers have: "A3" can be asked for again. */
#ifndef MCP_KEPT_CALLS_H
#define MCP_KEPT_CALLS_H

#include "base/buf.h"

#include <pthread.h>
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
	pthread_mutex_t lock;
};

void kept_calls_begin(struct kept_calls *k);

/* Its number; that of an earlier one that asked for the same. */
uint64_t kept_calls_add(struct kept_calls *k, const struct mcp_tool *t, const char *arguments);
/* By an id such as "A3": its tool and its arguments; NULL: it is none, or too long ago. */
const struct mcp_tool *kept_calls_find(struct kept_calls *k, const char *id, struct buf *ret);
void kept_calls_free(struct kept_calls *k);

#endif
