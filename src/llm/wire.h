/*
 * Formats in which a conversation goes to a server and the model's reply comes back, a constant
 * each at the end of its file.
 */
#ifndef LLM_WIRE_H
#define LLM_WIRE_H

#include "llm/conversation.h"
#include "llm/model_reply.h"

struct wire {
	const char *name; /* "openai" */
	const char *path; /* below the address of the server, "/v1" included: "/chat/completions" */
	const char *key_variable; /* of the environment */
	const char *key_header;	  /* what comes before the key */
	const char *header;	  /* a further one; NULL: none */
	void (*add_request)(struct buf *b, const struct conversation *c);
	/* An event of the stream. -1: it is none of this format, or tells of an error. */
	int (*take)(struct model_reply *r, struct str data, struct err *e);
};

extern const struct wire wire_openai, wire_anthropic;

/* NULL: there is none of that name. */
const struct wire *wire_find(struct str name);

/* What both have to do with what comes: a member's text, "" where it has none. */
struct json;
struct str wire_text(const struct json *object, const char *key);
int64_t wire_whole(const struct json *object, const char *key);
/* The error that a server tells of in place of a reply. Always -1. */
int wire_fail(const struct json *error, struct err *e);

#endif
