/* The protocol over two streams: a message a line. */
#ifndef MCP_TRANSPORT_STDIO_H
#define MCP_TRANSPORT_STDIO_H

#include "mcp/mcp.h"

/*
 * Until `in` ends, or a signal does: then what was asked has a moment to be answered, or, with
 * `once`, as long as it takes. Nothing but messages is written to `out`. false: something still
 * goes on, and the program is to end at once.
 */
int stdio_serve(struct mcp *m, int in, int out, bool once, bool *ret_is_idle, struct err *e);

#endif
