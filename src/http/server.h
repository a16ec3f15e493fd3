/*
 * HTTP as far as a viewer on one's own machine needs it. Requests are bounded in size, time and
 * number; what takes a while is done by workers. libmicrohttpd is known to server.c alone.
 */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http/request.h"
#include "http/workers.h"

/* How a request is answered that may be asked. */
struct admission {
	struct workers *workers; /* who answers; NULL: it takes no time */
	bool has_token;		 /* and not anybody may ask */
};

/* Both may be called by several threads at once. */
struct server_use {
	/* By the headers alone. false: it is refused, and *ret says why. */
	bool (*admit)(void *ctx, const struct request *r, struct reply *ret,
		      struct admission *ret_how);
	void (*answer)(void *ctx, const struct request *r, struct reply *ret);
	void *ctx;
};

enum { SERVER_MOST_BODY = 1 << 16 };

struct server;

/* On loopback; port 0: any that is free. */
int server_listen_port(struct server **ret, uint16_t port, struct err *e);
/* On a socket in the file system that nobody else may use; it must not be there yet. */
int server_listen_path(struct server **ret, const char *path, struct err *e);
uint16_t server_port(const struct server *s); /* 0: it has none */
/* From here on requests are answered. */
int server_start(struct server *s, const struct server_use *use, struct err *e);
/* When somebody with the token asked last, on the clock of clock_now_ns(). */
int64_t server_last_asked_ns(const struct server *s);
/* Ends connections that have been there for long and have asked for nothing: now and then. */
void server_end_slow(struct server *s);
/* The file of its socket, if it has one, is gone: for the end of the program. */
void server_forget(const struct server *s);
/* No request is answered any more; no worker has one. */
void server_stop(struct server *s); /* NULL is fine */

#endif
