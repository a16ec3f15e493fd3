/*
 * The core of the server: a message in, messages out. Nothing here reads or writes a connection.
 *
 * Whoever has a connection gives each message to mcp_take(), on any thread. What takes no time is
 * answered there. A call of a tool, or a read of a resource, is then answered by mcp_work(): by a
 * worker, one at a time.
 */
#ifndef MCP_MCP_H
#define MCP_MCP_H

#include "mcp/kept_calls.h"
#include "mcp/message.h"
#include "mcp/open_traces.h"
#include "mcp/roots.h"

/* What is served, whoever asks. */
struct mcp {
	struct roots roots;
	struct kept_calls kept;
	bool may_run; /* tools that run programs are there */
};

void mcp_begin(struct mcp *m);
void mcp_free(struct mcp *m);

/* Who answers what takes a while: a thread at a time, with traces of its own. */
struct mcp_worker {
	struct mcp *mcp;
	struct open_traces traces;
};

/* What a connection has agreed on. A zeroed one has not begun. */
struct mcp_session {
	const struct revision *revision; /* by initialize; NULL: requests say theirs themselves */
};

enum mcp_step {
	MCP_DONE,   /* what is to be sent, if anything, is in *out */
	MCP_WORK,   /* mcp_work() answers it */
	MCP_CANCEL, /* the request of the id in ret->id need not be answered any more */
};

/* The message is for message_free() in any case. */
enum mcp_step mcp_take(const struct mcp *m, struct mcp_session *s, struct str line,
		       struct message *ret, struct buf *out);
/* The line of the reply. work_begin() comes before it. */
void mcp_work(struct mcp_worker *w, const struct message *request, struct buf *out);

#endif
