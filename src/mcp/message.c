/* What does a line say in JSON-RPC, and how is it answered? */
#include "mcp/message.h"

#include "mcp/json_line.h"
#include "text/decimal.h"
#include "text/text.h"
#include "text/units.h"

#include <stdarg.h>
#include <stdio.h>

int rpc_fail(struct rpc_error *e, enum rpc_code code, const char *fmt, ...)
{
	va_list args;

	e->code = code;
	va_start(args, fmt);
	vsnprintf(e->message, sizeof(e->message), fmt, args);
	va_end(args);
	return -1;
}

/* A whole number or a text, as JSON; false: it is neither, or too long to be sent back. */
static bool read_token(const struct json *v, struct buf *ret)
{
	int64_t whole;

	if (json_read_kind(v) == JSON_KIND_TEXT && json_read_string(v).len <= ID_MOST_BYTES)
		text_add_json(ret, json_read_string(v));
	else if (json_read_kind(v) == JSON_KIND_NUMBER && json_read_whole(v, &whole))
		decimal_add_int(ret, whole);
	return ret->len > 0;
}

static int read_id(struct message *m, struct rpc_error *e)
{
	const struct json *id = json_read_member(m->document, "id");

	if (!id || read_token(id, &m->id))
		return 0;
	return rpc_fail(e, RPC_INVALID, "id takes a whole number or a text of at most %d bytes",
			ID_MOST_BYTES);
}

static int read_params(struct message *m, struct rpc_error *e)
{
	const struct json *token;

	m->params = json_read_member(m->document, "params");
	if (m->params && json_read_kind(m->params) != JSON_KIND_OBJECT)
		return rpc_fail(e, RPC_PARAMS, "params takes an object, not %s",
				json_read_kind_name(m->params));
	m->meta = m->params ? json_read_member(m->params, "_meta") : NULL;
	if (m->meta && json_read_kind(m->meta) != JSON_KIND_OBJECT)
		return rpc_fail(e, RPC_PARAMS, "params._meta takes an object, not %s",
				json_read_kind_name(m->meta));
	token = m->meta ? json_read_member(m->meta, "progressToken") : NULL;
	if (token && !read_token(token, &m->progress))
		return rpc_fail(e, RPC_PARAMS, "progressToken takes a whole number or a text");
	return 0;
}

/* Nothing of ours is asked for by it. */
static bool is_response(const struct message *m)
{
	return json_read_member(m->document, "result") || json_read_member(m->document, "error");
}

static int read_document(struct message *m, struct rpc_error *e)
{
	const struct json *version = json_read_member(m->document, "jsonrpc");
	const struct json *method = json_read_member(m->document, "method");

	if (json_read_kind(m->document) == JSON_KIND_ARRAY)
		return rpc_fail(e, RPC_INVALID,
				"no revision spoken here has batches: one message a line");
	if (json_read_kind(m->document) != JSON_KIND_OBJECT)
		return rpc_fail(e, RPC_INVALID, "a message is an object, not %s",
				json_read_kind_name(m->document));
	if (read_id(m, e) < 0)
		return -1;
	if (!version || !str_eq(json_read_string(version), str_of("2.0")))
		return rpc_fail(e, RPC_INVALID, "a message has \"jsonrpc\": \"2.0\"");
	if (!method && is_response(m))
		return 0;
	if (!method || json_read_kind(method) != JSON_KIND_TEXT)
		return rpc_fail(e, RPC_INVALID, "a message has a method, which is a text");
	m->method = json_read_string(method);
	return read_params(m, e);
}

int message_read(struct message *m, struct str line, struct rpc_error *e)
{
	struct err why = {0};

	*m = (struct message){0};
	if (line.len > MESSAGE_MOST_BYTES)
		return rpc_fail(e, RPC_INVALID, "a message has at most %d bytes",
				MESSAGE_MOST_BYTES);
	if (json_read_text(&m->document, line, "the message", &why) < 0)
		return rpc_fail(e, RPC_PARSE, "%s", why.message);
	return read_document(m, e);
}

void message_free(struct message *m)
{
	json_read_free(m->document);
	buf_free(&m->id);
	buf_free(&m->progress);
	*m = (struct message){0};
}

struct str message_text(const struct message *m, const char *key)
{
	const struct json *v = m->params ? json_read_member(m->params, key) : NULL;

	return v ? json_read_string(v) : (struct str){"", 0};
}

static void begin(struct buf *b, struct str id)
{
	buf_adds(b, "{\"jsonrpc\":\"2.0\"");
	if (id.len) {
		buf_adds(b, ",\"id\":");
		buf_addstr(b, id);
	}
}

void message_add_error(struct buf *b, struct str id, const struct rpc_error *e)
{
	begin(b, id);
	buf_addf(b, ",\"error\":{\"code\":%d,\"message\":", e->code);
	text_add_json(b, str_of(e->message));
	if (e->data.len) {
		buf_adds(b, ",\"data\":");
		json_line_add(b, buf_str(&e->data));
	}
	buf_adds(b, "}}");
}

void message_add_result(struct buf *b, struct str id, struct str members)
{
	begin(b, id);
	buf_adds(b, ",\"result\":{");
	json_line_add(b, members);
	buf_adds(b, "}}");
}

void message_add_progress(struct buf *b, struct str token, double done, const char *what)
{
	begin(b, (struct str){"", 0});
	buf_adds(b, ",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":");
	buf_addstr(b, token);
	buf_adds(b, ",\"progress\":");
	units_add_real(b, done);
	if (what && *what) {
		buf_adds(b, ",\"message\":");
		text_add_json(b, str_of(what));
	}
	buf_adds(b, "}}");
}
