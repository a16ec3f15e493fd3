/* What does the model reply? */
#include "llm/exchange.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/string_list.h"
#include "llm/http.h"
#include "llm/sse.h"
#include "text/json_read.h"
#include "text/text.h"

#include <inttypes.h>
#include <time.h>

enum {
	MOST_TRIES = 3,
	MOST_WAIT_S = 20,
	FIRST_WAIT_MS = 500,
	MOST_EVENT = 1 << 18,
	MOST_REPLY = 1 << 20,
	MOST_REQUEST = 1 << 20,
	BYTES_A_TOKEN = 3, /* where nobody counts them: rather too many than too few */
	MOST_SAID = 200,
};

struct receiving {
	const struct model_settings *settings;
	const struct reply_reader *reader;
	struct sse sse;
	struct model_reply *reply;
};

/* A server may send the key back. */
static void forget_key(const struct model_settings *s, char *text)
{
	const size_t len = s->key ? strlen(s->key) : 0;

	for (char *at = text; len && (at = strstr(at, s->key));)
		memset(at, '*', len);
}

static int take_event(void *ctx, const char *event, struct str data, struct err *e)
{
	struct receiving *r = ctx;

	(void)event;
	r->reply->has_events = true;
	if (r->settings->wire->take(r->reply, data, e) < 0)
		return -1;
	if (r->reply->text.len)
		forget_key(r->settings, r->reply->text.s);
	r->reader->read(r->reader->ctx, r->reply);
	return 0;
}

static int take_bytes(void *ctx, const char *bytes, size_t len, struct err *e)
{
	struct receiving *r = ctx;

	return sse_feed(&r->sse, bytes, len, take_event, r, e);
}

void exchange_list_headers(const struct model_settings *s, bool with_key, struct arena *a,
			   struct string_list *ret)
{
	string_list_add(ret, "Content-Type: application/json");
	string_list_add(ret, "Accept: text/event-stream");
	if (s->wire->header)
		string_list_add(ret, s->wire->header);
	if (s->key)
		string_list_addf(ret, a, "%s%s", s->wire->key_header,
				 with_key ? s->key : "(the key, which is not shown)");
}

/* What a server says to a request that it does not take. */
static int refuse(const struct http_reply *r, struct err *e)
{
	struct json *doc = NULL;
	struct err ignored = {0};
	const struct json *error = NULL, *message = NULL;
	SCOPED_BUF safe = {0};

	if (json_read_text(&doc, buf_str(&r->body), "the reply", &ignored) == 0)
		error = json_read_member(doc, "error");
	if (error)
		message = json_read_kind(error) == JSON_KIND_TEXT
				  ? error
				  : json_read_member(error, "message");
	if (message) {
		const struct str said = json_read_string(message);

		text_add_safe(&safe,
			      (struct str){said.s, said.len < MOST_SAID ? said.len : MOST_SAID});
	}
	json_read_free(doc);
	return err_set(e, ERR_SYSTEM, "the server replies with status %ld%s%s", r->status,
		       safe.len ? ": " : "", safe.len ? safe.s : "");
}

static bool may_try_again(long status)
{
	return status == 429 || status == 503 || status == 529;
}

static bool wait_for_server(const struct http_reply *r, int try, const struct budget *b)
{
	const int64_t wait_ms =
		r->retry_after_s >= 0 ? r->retry_after_s * 1000 : (int64_t)FIRST_WAIT_MS << try;
	const struct timespec t = {wait_ms / 1000, wait_ms % 1000 * 1000000};

	if (wait_ms > MOST_WAIT_S * 1000 || clock_now_ns() + wait_ms * 1000000 >= b->deadline_ns)
		return false;
	nanosleep(&t, NULL);
	return true;
}

static int send_once(const struct model_settings *s, struct str body, const struct budget *b,
		     const struct reply_reader *reader, struct model_reply *ret,
		     struct http_reply *reply, struct err *e)
{
	struct receiving r = {
		.settings = s, .reader = reader, .sse = {.most = MOST_EVENT}, .reply = ret};
	struct string_list headers = {0};
	struct arena arena = {0};
	const int64_t left_ms = (b->deadline_ns - clock_now_ns()) / 1000000;
	struct http_post post = {.url = s->url,
				 .headers = &headers,
				 .body = body,
				 .is_loopback = s->is_loopback,
				 .timeout_ms = left_ms,
				 .most_bytes = MOST_REPLY,
				 .take = take_bytes,
				 .ctx = &r};
	int result;

	if (left_ms <= 0)
		return err_set(e, ERR_SYSTEM, "the time for the conversation is over");
	exchange_list_headers(s, true, &arena, &headers);
	result = http_send(&post, reply, e);
	if (s->key)
		explicit_bzero((char *)headers.all[headers.count - 1],
			       strlen(headers.all[headers.count - 1]));
	string_list_free(&headers);
	arena_free(&arena);
	sse_free(&r.sse);
	return result;
}

static int send(const struct model_settings *s, struct str body, const struct budget *b,
		const struct reply_reader *reader, struct model_reply *ret, struct err *e)
{
	for (int try = 0;; try++) {
		struct http_reply reply = {0};
		int result = send_once(s, body, b, reader, ret, &reply, e);
		const bool again = result == 0 && may_try_again(reply.status) &&
				   try + 1 < MOST_TRIES && wait_for_server(&reply, try, b);

		if (result == 0 && reply.status != 200 && !again)
			result = refuse(&reply, e);
		buf_free(&reply.body);
		if (!again)
			return result;
		model_reply_free(ret);
	}
}

/* By the server's count, or by length. */
static void spend(struct budget *b, size_t sent, const struct model_reply *r)
{
	const int64_t in = r->input_tokens > 0 ? r->input_tokens : (int64_t)sent / BYTES_A_TOKEN;
	const int64_t out =
		r->output_tokens > 0 ? r->output_tokens : (int64_t)r->text.len / BYTES_A_TOKEN;

	b->tokens -= in + out;
}

int exchange(const struct model_settings *s, const struct conversation *c, struct budget *b,
	     const struct reply_reader *reader, struct model_reply *ret, struct err *e)
{
	SCOPED_BUF body = {0};
	int result;

	s->wire->add_request(&body, c);
	if (body.len > MOST_REQUEST)
		return err_set(e, ERR_INPUT, "the conversation is longer than %d bytes",
			       MOST_REQUEST);
	if (b->tokens < (int64_t)(body.len / BYTES_A_TOKEN / 2))
		return err_set(e, ERR_INPUT, "the conversation takes more tokens than it may");
	result = send(s, buf_str(&body), b, reader, ret, e);
	b->sent_bytes += body.len;
	spend(b, body.len, ret);
	if (result == 0 && !ret->has_events)
		result = err_set(e, ERR_INPUT,
				 "the reply is no stream of events: the server does not stream, or "
				 "it is no model's");
	if (result == 0 && !ret->is_complete)
		result = err_set(e, ERR_INPUT, "the reply ends in the middle");
	if (result == 0 && ret->is_cut)
		result = err_set(e, ERR_INPUT, "the reply is longer than %" PRIu64 " tokens",
				 c->max_tokens);
	forget_key(s, e->message);
	return result;
}
