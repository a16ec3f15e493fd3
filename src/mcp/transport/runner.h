/*
 * Requests that take a while, one after another, on a thread of their own. One that is cancelled is
 * given up; where that does not come to its end in a moment, since what computes does not look,
 * its thread is left to itself and another goes on with what waits, with traces of its own.
 */
#ifndef MCP_TRANSPORT_RUNNER_H
#define MCP_TRANSPORT_RUNNER_H

#include "mcp/mcp.h"

struct runner;

/* A line that is to be sent; one at a time, and none of a request that was cancelled. */
typedef void send_fn(void *ctx, struct buf *line);

/* NULL: no thread is to be had. */
struct runner *runner_start(struct mcp *m, send_fn *send, void *ctx);
/* The message is the runner's from here on; false: too many wait, and it stays the caller's. */
bool runner_add(struct runner *r, struct message *request, size_t bytes);
/* The request of that id, as JSON, need not be answered. */
void runner_cancel(struct runner *r, struct str id);
/*
 * Now and then: tells of progress, and leaves behind what does not end. How long nothing need be
 * done, in ms; -1: as long as nothing is asked.
 */
int runner_tick(struct runner *r);
/* Whether nothing waits or is worked on. */
bool runner_is_idle(struct runner *r);
/* Ends the thread, which is idle. false: one that was left behind still works, and uses it. */
bool runner_end(struct runner *r);
/* Sends a line of somebody else's among its own. */
void runner_send(struct runner *r, struct buf *line);

#endif
