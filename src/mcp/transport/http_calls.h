/*
 * Calls that came by HTTP and are being answered, or wait for their turn: who wants to know how
 * far they are is told, on the stream of its own reply; one that nobody wants any more is given
 * up, also where another request says so.
 */
#ifndef MCP_TRANSPORT_HTTP_CALLS_H
#define MCP_TRANSPORT_HTTP_CALLS_H

#include "http/live.h"
#include "mcp/message.h"

#include <pthread.h>

enum { HTTP_SESSION_MOST = 64 };

struct http_call {
	const struct message *message;
	struct live *live;		     /* NULL: nothing can be said before the end */
	char session[HTTP_SESSION_MOST + 1]; /* numbers of requests are its own; "": none */
	int seat;			     /* of its work; -1: it has not begun */
	int64_t begun_ns, told_ns;
	bool is_cancelled;
	struct http_call *next;
};

struct http_calls {
	pthread_mutex_t lock; /* of all that follows, and of the calls */
	pthread_cond_t change;
	struct http_call *first;
	size_t count;
	pthread_t teller;
	bool has_teller, is_ending;
};

/* false: no thread is to be had, and nobody is told of progress. */
bool http_calls_begin(struct http_calls *c);
void http_calls_end(struct http_calls *c); /* none is there */

/* The call is the caller's, until it is removed. */
void http_calls_add(struct http_calls *c, struct http_call *call);
/* It is worked on from here on. false: it was cancelled before. */
bool http_calls_seat(struct http_calls *c, struct http_call *call, int seat);
/* Nothing more is told of it. false: it was cancelled, and need not be answered. */
bool http_calls_remove(struct http_calls *c, struct http_call *call);
/* The one of that session and id, as JSON; where several are, nobody knows which is meant. */
void http_calls_cancel(struct http_calls *c, const char *session, struct str id);

/* A message as an event of a stream. */
void http_event_add(struct buf *b, struct str message);

#endif
