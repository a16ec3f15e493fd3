/* How do Anthropic's messages look? */
#include "llm/wire.h"

#include "text/json_read.h"
#include "text/text.h"

#include <inttypes.h>

static void add_text_part(struct buf *b, const char *text)
{
	buf_adds(b, "{\"type\":\"text\",\"text\":");
	text_add_json(b, str_of(text));
	buf_addc(b, '}');
}

static void add_call(struct buf *b, const struct called *c)
{
	buf_adds(b, "{\"type\":\"tool_use\",\"id\":");
	text_add_json(b, str_of(c->id));
	buf_adds(b, ",\"name\":");
	text_add_json(b, str_of(c->name));
	buf_addf(b, ",\"input\":%s}", c->arguments);
}

static void add_result(struct buf *b, const struct called *c)
{
	buf_adds(b, "{\"type\":\"tool_result\",\"tool_use_id\":");
	text_add_json(b, str_of(c->id));
	buf_adds(b, ",\"content\":");
	text_add_json(b, str_of(c->result));
	buf_adds(b, c->is_error ? ",\"is_error\":true}" : "}");
}

/* A text that is empty may not be sent. */
static void add_turn(struct buf *b, const struct turn *t)
{
	buf_addf(b, "{\"role\":\"%s\",\"content\":[", t->is_model ? "assistant" : "user");
	if (t->text[0])
		add_text_part(b, t->text);
	for (size_t i = 0; i < t->call_count; i++) {
		buf_adds(b, i || t->text[0] ? "," : "");
		add_call(b, &t->calls[i]);
	}
	buf_adds(b, "]}");
	if (!t->call_count)
		return;
	buf_adds(b, ",{\"role\":\"user\",\"content\":[");
	for (size_t i = 0; i < t->call_count; i++) {
		buf_adds(b, i ? "," : "");
		add_result(b, &t->calls[i]);
	}
	buf_adds(b, "]}");
}

static void add_tools(struct buf *b, const struct conversation *c)
{
	buf_adds(b, ",\"tools\":[");
	for (size_t i = 0; i < c->tool_count; i++) {
		buf_adds(b, i ? ",{\"name\":" : "{\"name\":");
		text_add_json(b, str_of(c->tools[i].name));
		buf_adds(b, ",\"description\":");
		text_add_json(b, str_of(c->tools[i].description));
		buf_addf(b, ",\"input_schema\":%s}", c->tools[i].schema);
	}
	buf_addf(b, "],\"tool_choice\":{\"type\":\"%s\"}", c->may_call ? "auto" : "none");
}

static void add_request(struct buf *b, const struct conversation *c)
{
	buf_adds(b, "{\"model\":");
	text_add_json(b, str_of(c->model));
	buf_addf(b, ",\"stream\":true,\"max_tokens\":%" PRIu64 ",\"system\":", c->max_tokens);
	text_add_json(b, str_of(c->system));
	buf_adds(b, ",\"messages\":[");
	for (size_t i = 0; i < c->turn_count; i++) {
		buf_adds(b, i ? "," : "");
		add_turn(b, &c->turns[i]);
	}
	buf_addc(b, ']');
	add_tools(b, c);
	buf_addc(b, '}');
}

static int begin_block(struct model_reply *r, const struct json *block, struct err *e)
{
	struct reply_call *c;

	if (!block)
		return err_set(e, ERR_INPUT, "a block of the reply has no content");
	buf_addstr(&r->text, wire_text(block, "text"));
	if (!str_eq(wire_text(block, "type"), STR_LIT("tool_use")))
		return 0;
	c = model_reply_new_call(r);
	if (!c)
		return err_set(e, ERR_INPUT, "more calls at once than %d", REPLY_MOST_CALLS);
	buf_addstr(&c->id, wire_text(block, "id"));
	buf_addstr(&c->name, wire_text(block, "name"));
	return 0;
}

/* Blocks come one after the other: pieces belong to the last. */
static int continue_block(struct model_reply *r, const struct json *delta, struct err *e)
{
	const struct str arguments = wire_text(delta, "partial_json");

	buf_addstr(&r->text, wire_text(delta, "text"));
	if (arguments.len && !r->call_count)
		return err_set(e, ERR_INPUT, "arguments come before a call");
	if (arguments.len)
		buf_addstr(&r->calls[r->call_count - 1].arguments, arguments);
	return 0;
}

static void count_tokens(struct model_reply *r, const struct json *usage)
{
	if (wire_whole(usage, "input_tokens"))
		r->input_tokens = wire_whole(usage, "input_tokens");
	if (wire_whole(usage, "output_tokens"))
		r->output_tokens = wire_whole(usage, "output_tokens");
}

static int take_document(struct model_reply *r, const struct json *doc, struct err *e)
{
	const struct str type = wire_text(doc, "type");
	const struct json *delta = json_read_member(doc, "delta");
	const struct json *message = json_read_member(doc, "message");

	if (!type.len)
		return err_set(e, ERR_INPUT, "an event has no type");
	if (str_eq(type, STR_LIT("error")))
		return wire_fail(json_read_member(doc, "error"), e);
	if (str_eq(type, STR_LIT("content_block_start")))
		return begin_block(r, json_read_member(doc, "content_block"), e);
	if (str_eq(type, STR_LIT("content_block_delta")))
		return continue_block(r, delta, e);
	if (str_eq(type, STR_LIT("message_start")))
		count_tokens(r, message ? json_read_member(message, "usage") : NULL);
	if (str_eq(type, STR_LIT("message_delta"))) {
		count_tokens(r, json_read_member(doc, "usage"));
		r->is_cut |= str_eq(wire_text(delta, "stop_reason"), STR_LIT("max_tokens"));
	}
	r->is_complete |= str_eq(type, STR_LIT("message_stop"));
	return 0;
}

static int take(struct model_reply *r, struct str data, struct err *e)
{
	struct json *doc = NULL;
	int result;

	if (json_read_text(&doc, data, "an event of the server", e) < 0)
		return -1;
	result = take_document(r, doc, e);
	json_read_free(doc);
	return result;
}

const struct wire wire_anthropic = {
	.name = "anthropic",
	.path = "/messages",
	.key_variable = "ANTHROPIC_API_KEY",
	.key_header = "x-api-key: ",
	.header = "anthropic-version: 2023-06-01",
	.add_request = add_request,
	.take = take,
};
