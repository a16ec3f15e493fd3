/*
 * Server-sent events of a stream that comes in pieces, cut anywhere. A zeroed parser, but for
 * `most`, is at the beginning.
 */
#ifndef LLM_SSE_H
#define LLM_SSE_H

#include "base/buf.h"
#include "base/err.h"

enum { SSE_NAME_MOST = 64 };

struct sse {
	struct buf line, data;
	char event[SSE_NAME_MOST]; /* "" where the event has no name */
	bool has_data;
	bool after_cr; /* a line feed that comes now belongs to the end of the line before */
	size_t most;   /* bytes of one event */
};

/* An event's name and its data; -1: no more of the stream is wanted. */
typedef int sse_fn(void *ctx, const char *event, struct str data, struct err *e);

/* -1: an event is too long, or `take` said so. */
int sse_feed(struct sse *s, const char *bytes, size_t len, sse_fn *take, void *ctx, struct err *e);
void sse_free(struct sse *s);

#endif
