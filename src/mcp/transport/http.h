/*
 * The protocol over HTTP on loopback: POST /mcp, an answer for each, as JSON or, where a call takes
 * a while and its client wants to know how far it is, as a stream of events. Who asks says the
 * token, as with `gpuwhy web`; pages of other sites, and names that lead here by DNS, are refused.
 */
#ifndef MCP_TRANSPORT_HTTP_H
#define MCP_TRANSPORT_HTTP_H

#include "http/guard.h"
#include "http/server.h"
#include "mcp/mcp.h"
#include "mcp/transport/http_calls.h"
#include "mcp/work.h"

#include <pthread.h>

struct mcp_http {
	struct mcp *mcp;
	struct guard guard;
	struct workers *threads;
	struct http_calls calls;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t change;
	struct mcp_worker workers[WORK_SEATS]; /* by seat, each with traces of its own */
	bool is_busy[WORK_SEATS];
};

int mcp_http_begin(struct mcp_http *h, struct mcp *m, struct err *e);
void mcp_http_end(struct mcp_http *h); /* after server_stop() */
/* For struct server_use. */
bool mcp_http_admit(void *http, const struct request *r, struct reply *ret,
		    struct admission *ret_how);
void mcp_http_answer(void *http, const struct request *r, struct reply *ret);

#endif
