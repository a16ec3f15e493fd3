/* JSON-RPC 2.0 as the protocol has it: one message read, and what is written in answer to it. */
#ifndef MCP_MESSAGE_H
#define MCP_MESSAGE_H

#include "base/buf.h"
#include "mcp/revision.h"
#include "text/json_read.h"

/* Codes of errors. */
enum rpc_code {
	RPC_PARSE = -32700,
	RPC_INVALID = -32600,
	RPC_NO_METHOD = -32601,
	RPC_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_NO_RESOURCE = -32002, /* before 2026-07-28; that has RPC_PARAMS */
	RPC_HEADERS = -32020,	  /* headers say something else than the message */
	RPC_REVISION = -32022,
};

enum { MESSAGE_MOST_BYTES = 1 << 20, ID_MOST_BYTES = 1024 };

struct message {
	struct json *document;
	struct buf id; /* as JSON; empty: nobody waits for an answer */
	struct str method;
	const struct json *params; /* an object, or NULL */
	const struct json *meta;   /* params._meta, an object, or NULL */
	const struct revision *revision;
	struct buf progress; /* the token, as JSON; empty: nobody asks for progress */
};

/* A reply that is an error, while it is made. */
struct rpc_error {
	enum rpc_code code;
	char message[512];
	struct buf data; /* JSON; empty: none */
};

/* Always -1. */
int rpc_fail(struct rpc_error *e, enum rpc_code code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * -1: it is no message, and the error says why; its id is there if it could be told. A response,
 * which nobody asked for here, is a message without a method. Freed by message_free() in any case.
 */
int message_read(struct message *m, struct str line, struct rpc_error *e);
void message_free(struct message *m);
/* The text of a member of the params; empty where there is none. */
struct str message_text(const struct message *m, const char *key);

/* One line each, without its end. `id` as JSON; empty: it is not known. */
void message_add_error(struct buf *b, struct str id, const struct rpc_error *e);
/* `members` are those of the result, as JSON without its braces. */
void message_add_result(struct buf *b, struct str id, struct str members);
/* `done` grows from one to the next. */
void message_add_progress(struct buf *b, struct str token, double done, const char *what);

#endif
