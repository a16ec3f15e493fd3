/* Lines of a stream that comes in pieces: none is longer than a message may be. */
#ifndef MCP_TRANSPORT_LINES_H
#define MCP_TRANSPORT_LINES_H

#include "base/buf.h"

/* A zeroed one is at the beginning of a line. */
struct lines {
	struct buf part;
	size_t most; /* bytes of a line */
};

/* A line without its end. One that is too long is cut, and longer than `most` nevertheless. */
typedef void line_fn(void *ctx, struct str line);

void lines_feed(struct lines *l, const char *bytes, size_t len, line_fn *take, void *ctx);
/* The stream has ended: what has no end of a line is one, too. */
void lines_end(struct lines *l, line_fn *take, void *ctx);

#endif
