/* A request and the reply to it, whoever carries them: a browser's connection, or nobody. */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

struct live;

struct request_value {
	const char *name, *value; /* of a flag without a value: "" */
};

struct request {
	const char *method, *path;
	const struct request_value *values; /* of the query, decoded, in order */
	size_t value_count;
	const char *host, *origin, *authorization, *content_type; /* NULL: there is none */
	/* Of the protocol of agents. */
	const char *mcp_version, *mcp_method, *mcp_name, *mcp_session;
	bool takes_gzip;
	bool takes_events;	  /* a stream of events may be the reply */
	bool takes_errors;	  /* what has no answer may be answered with its error, and 200 */
	bool is_ambiguous;	  /* a header that tells who asks is there twice */
	bool has_too_many_values; /* there are others than `values` */
	struct str body;
	int connection; /* tells whether who asked still waits; -1: nobody can give it up */
	/*
	 * Events that are sent while it is being answered: once one was, they are the reply, and
	 * texts of headers may be gone. NULL: it takes no time.
	 */
	struct live *live;
};

struct reply {
	int status; /* 0: not yet */
	const char *type;
	struct buf body;
	bool is_constant;     /* the same question always has this answer */
	bool is_packed;	      /* with gzip */
	bool is_page;	      /* of the page itself: it may run scripts of its own */
	const char *allow;    /* of a method that is refused: those that are not; NULL: GET, POST */
	char mcp_session[33]; /* which the client is to say from here on; "": none */
};

/* NULL: it is not there. */
const char *request_value(const struct request *r, const char *name);
/* The name of one that comes again, of which nobody knows which is meant; NULL: there is none. */
const char *request_value_twice(const struct request *r);
/* A whole number from `least` to `most`; where it is not there `otherwise`. */
int request_int(const struct request *r, const char *name, int64_t least, int64_t most,
		int64_t otherwise, int64_t *ret, struct err *e);
/* The same where it must be there. */
int request_need_int(const struct request *r, const char *name, int64_t least, int64_t most,
		     int64_t *ret, struct err *e);
/* "4,5,6": at most `most` of them; how many there are, at least 1, or -1. */
int request_numbers(const struct request *r, const char *name, size_t *ret, size_t most,
		    struct err *e);
/* Whoever asked has gone away. */
bool request_is_abandoned(const struct request *r);

void reply_free(struct reply *r);
/* That of an error: 400 what was asked is wrong, 422 the trace has no answer, 500 the machine. */
int reply_status(const struct err *e);
/* Replaces what there is by the error as JSON; `status` 0: that of the error. */
void reply_fail(struct reply *r, int status, const struct err *e);
/* The same in words. */
void reply_refuse(struct reply *r, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* With gzip, where that makes it smaller. */
void reply_pack(struct reply *r);

#endif
