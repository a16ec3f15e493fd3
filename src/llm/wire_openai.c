/* How do OpenAI's chat completions, which most servers of models understand, look? */
#include "llm/wire.h"

#include "text/json_read.h"
#include "text/text.h"

#include <inttypes.h>

static void add_message(struct buf *b, const char *role, const char *text)
{
	buf_addf(b, "{\"role\":\"%s\",\"content\":", role);
	text_add_json(b, str_of(text));
}

static void add_calls(struct buf *b, const struct turn *t)
{
	if (!t->call_count)
		return;
	buf_adds(b, ",\"tool_calls\":[");
	for (size_t i = 0; i < t->call_count; i++) {
		buf_adds(b, i ? ",{\"id\":" : "{\"id\":");
		text_add_json(b, str_of(t->calls[i].id));
		buf_adds(b, ",\"type\":\"function\",\"function\":{\"name\":");
		text_add_json(b, str_of(t->calls[i].name));
		buf_adds(b, ",\"arguments\":");
		text_add_json(b, str_of(t->calls[i].arguments));
		buf_adds(b, "}}");
	}
	buf_addc(b, ']');
}

static void add_turn(struct buf *b, const struct turn *t)
{
	buf_addc(b, ',');
	add_message(b, t->is_model ? "assistant" : "user", t->text);
	add_calls(b, t);
	buf_addc(b, '}');
	for (size_t i = 0; i < t->call_count; i++) {
		buf_addc(b, ',');
		add_message(b, "tool", t->calls[i].result);
		buf_adds(b, ",\"tool_call_id\":");
		text_add_json(b, str_of(t->calls[i].id));
		buf_addc(b, '}');
	}
}

static void add_tools(struct buf *b, const struct conversation *c)
{
	buf_adds(b, ",\"tools\":[");
	for (size_t i = 0; i < c->tool_count; i++) {
		buf_adds(b, i ? "," : "");
		buf_adds(b, "{\"type\":\"function\",\"function\":{\"name\":");
		text_add_json(b, str_of(c->tools[i].name));
		buf_adds(b, ",\"description\":");
		text_add_json(b, str_of(c->tools[i].description));
		buf_adds(b, ",\"parameters\":");
		buf_adds(b, c->tools[i].schema);
		buf_adds(b, "}}");
	}
	buf_addf(b, "],\"tool_choice\":\"%s\"", c->may_call ? "auto" : "none");
}

static void add_request(struct buf *b, const struct conversation *c)
{
	buf_adds(b, "{\"model\":");
	text_add_json(b, str_of(c->model));
	buf_adds(b, ",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
	buf_addf(b, ",\"%s\":%" PRIu64 ",\"messages\":[",
		 c->limits_completion ? "max_completion_tokens" : "max_tokens", c->max_tokens);
	add_message(b, "system", c->system);
	buf_addc(b, '}');
	for (size_t i = 0; i < c->turn_count; i++)
		add_turn(b, &c->turns[i]);
	buf_addc(b, ']');
	add_tools(b, c);
	buf_addc(b, '}');
}

/*
 * Pieces of a call have its number; the first also its id. Some servers send whole calls that all
 * have the number 0: another id is another call.
 */
static struct reply_call *find_call(struct model_reply *r, const struct json *piece)
{
	const struct str id = wire_text(piece, "id");
	const int64_t index = wire_whole(piece, "index");
	struct reply_call *c =
		index >= 0 && (uint64_t)index < r->call_count ? &r->calls[index] : NULL;

	if (c && id.len && c->id.len && !str_eq(id, buf_str(&c->id)))
		c = NULL;
	if (!c)
		c = model_reply_new_call(r);
	if (c && !c->id.len)
		buf_addstr(&c->id, id);
	return c;
}

static int take_calls(struct model_reply *r, const struct json *pieces, struct err *e)
{
	for (size_t i = 0; i < json_read_length(pieces); i++) {
		const struct json *piece = json_read_element(pieces, i);
		const struct json *f = json_read_member(piece, "function");
		struct reply_call *c = find_call(r, piece);

		if (!c)
			return err_set(e, ERR_INPUT, "more calls at once than %d",
				       REPLY_MOST_CALLS);
		buf_addstr(&c->name, wire_text(f, "name"));
		buf_addstr(&c->arguments, wire_text(f, "arguments"));
	}
	return 0;
}

static int take_document(struct model_reply *r, const struct json *doc, struct err *e)
{
	const struct json *choices = json_read_member(doc, "choices");
	const struct json *choice = choices ? json_read_element(choices, 0) : NULL;
	const struct json *delta = choice ? json_read_member(choice, "delta") : NULL;
	const struct json *calls = delta ? json_read_member(delta, "tool_calls") : NULL;
	const struct json *usage = json_read_member(doc, "usage");
	const struct str finish = wire_text(choice, "finish_reason");

	if (json_read_member(doc, "error"))
		return wire_fail(json_read_member(doc, "error"), e);
	if (!choices && !usage)
		return err_set(e, ERR_INPUT, "an event has neither choices nor usage");
	buf_addstr(&r->text, wire_text(delta, "content"));
	if (usage && json_read_kind(usage) == JSON_KIND_OBJECT) {
		r->input_tokens = wire_whole(usage, "prompt_tokens");
		r->output_tokens = wire_whole(usage, "completion_tokens");
	}
	if (finish.len)
		r->is_complete = true;
	r->is_cut |= str_eq(finish, STR_LIT("length"));
	return calls ? take_calls(r, calls, e) : 0;
}

static int take(struct model_reply *r, struct str data, struct err *e)
{
	struct json *doc = NULL;
	int result;

	if (str_eq(str_trimmed(data), STR_LIT("[DONE]"))) {
		r->is_complete = true;
		return 0;
	}
	if (json_read_text(&doc, data, "an event of the server", e) < 0)
		return -1;
	result = take_document(r, doc, e);
	json_read_free(doc);
	return result;
}

const struct wire wire_openai = {
	.name = "openai",
	.path = "/chat/completions",
	.key_variable = "OPENAI_API_KEY",
	.key_header = "Authorization: Bearer ",
	.add_request = add_request,
	.take = take,
};
