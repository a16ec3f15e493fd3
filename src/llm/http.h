/*
 * One request to a server of models, and its reply as it streams in. libcurl is known to http.c
 * alone, which loads it when the first request is made: nobody else waits for it, or needs it.
 */
#ifndef LLM_HTTP_H
#define LLM_HTTP_H

#include "base/buf.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>

/* Bytes of the reply, in pieces; -1: no more of it is wanted. */
typedef int http_fn(void *ctx, const char *bytes, size_t len, struct err *e);

struct http_post {
	const char *url;
	const struct string_list *headers;
	struct str body;
	bool is_loopback;   /* plain HTTP, and no other machine is reached whatever names resolve to
			     */
	int64_t timeout_ms; /* of all of it */
	size_t most_bytes;  /* of the reply */
	http_fn *take;	    /* of a reply whose status is 200 */
	void *ctx;
};

struct http_reply {
	long status;
	int64_t retry_after_s; /* as the server asks for; -1: it does not */
	struct buf body;       /* the beginning of one whose status is another */
};

/* -1: there is no whole reply. Certificates are checked, redirects are replies like others. */
int http_send(const struct http_post *p, struct http_reply *ret, struct err *e);

/* An address that may be sent to: https, or http to this machine; without user, query, fragment. */
struct http_address {
	struct str scheme, host, port, path; /* port empty: the usual one */
	bool is_loopback;
};
int http_address_read(struct http_address *ret, const char *url, struct err *e);

#endif
