/* What does a model make of the evidence, and what of that may people read? */
#include "llm/model_answer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "llm/clean_text.h"
#include "llm/exchange.h"
#include "llm/model_report.h"
#include "llm/prompt.h"
#include "text/json_read.h"
#include "text/text.h"
#include "trace/strings.h"

#include <stdlib.h>

enum {
	MOST_TURNS = 8,
	MOST_CALLS = 16,
	MOST_RESULTS = 600000, /* bytes that tools tell */
	MOST_ANSWER = 20000,
};

struct asking {
	const struct model_job *job;
	struct toolbox tools;
	struct conversation conversation;
	struct budget budget;
	size_t told_bytes;
	struct model_told told;
};

/* What leaves the machine of a text of the user's. */
static void add_outgoing(struct buf *b, const struct asking *a, const char *text)
{
	SCOPED_BUF clean = {0};

	clean_text_add(&clean, str_of(text), MOST_ANSWER);
	if (a->tools.aliases)
		aliases_add_hidden(b, a->tools.aliases, buf_str(&clean));
	else
		buf_addstr(b, buf_str(&clean));
}

/* Facts and findings come first: a model that has them needs few calls. */
static int begin(struct asking *a, const struct model_job *job, struct err *e)
{
	static const char *const facts[] = {"trace_info", "analyze"};
	struct conversation *c = &a->conversation;
	SCOPED_BUF first = {0};

	a->job = job;
	if (toolbox_open(&a->tools, job->path, job->redacts, e) < 0 ||
	    strings_load(job->trace, e) < 0)
		return -1;
	if (job->redacts && aliases_make(&a->tools.aliases, job->trace, a->tools.trace, e) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
		(void)toolbox_call(&a->tools, str_of(facts[i]), STR_LIT(""), &first);
		buf_addc(&first, '\n');
	}
	buf_adds(&first, "The question of the user: ");
	add_outgoing(&first, a, job->question);
	c->model = job->settings->model;
	a->told.tools = &a->tools;
	a->told.model = job->settings->model;
	a->told.question = job->question;
	c->system = model_prompt;
	c->tools = a->tools.tools;
	c->tool_count = a->tools.count;
	c->max_tokens = job->settings->max_tokens;
	c->limits_completion = job->settings->limits_completion;
	c->may_call = true;
	(void)conversation_add(c, false, buf_str(&first));
	a->budget.deadline_ns = clock_now_ns() + (int64_t)(job->settings->timeout_s * 1e9);
	a->budget.tokens = (int64_t)job->settings->token_budget;
	return 0;
}

static void end(struct asking *a)
{
	conversation_free(&a->conversation);
	toolbox_close(&a->tools);
}

/* A call is told back to the model as JSON, whatever it was. */
static const char *valid_arguments(struct arena *arena, struct str arguments)
{
	struct json *doc = NULL;
	struct err ignored = {0};
	const bool is_object = json_read_text(&doc, arguments, "arguments", &ignored) == 0 &&
			       json_read_kind(doc) == JSON_KIND_OBJECT;

	json_read_free(doc);
	return is_object ? arena_str(arena, arguments).s : "{}";
}

static void answer_call(struct asking *a, const struct reply_call *call, struct called *ret)
{
	struct arena *arena = &a->conversation.arena;
	SCOPED_BUF result = {0};
	bool ok = false;

	if (++a->told.calls > MOST_CALLS || a->told_bytes > MOST_RESULTS)
		buf_adds(&result, "{\"error\":\"no further call is possible: answer now\"}");
	else if (clock_now_ns() >= a->budget.deadline_ns)
		buf_adds(&result, "{\"error\":\"the time is over\"}");
	else
		ok = toolbox_call(&a->tools, buf_str(&call->name), buf_str(&call->arguments),
				  &result);
	a->told_bytes += result.len;
	*ret = (struct called){
		.id = call->id.len ? arena_str(arena, buf_str(&call->id)).s
				   : arena_printf(arena, "call_%zu", a->told.calls),
		.name = arena_str(arena, buf_str(&call->name)).s,
		.arguments = valid_arguments(arena, buf_str(&call->arguments)),
		.result = arena_str(arena, buf_str(&result)).s,
		.is_error = !ok,
	};
}

static void answer_calls(struct asking *a, const struct model_reply *r)
{
	struct turn *t = conversation_add(&a->conversation, true, buf_str(&r->text));

	t->calls = arena_zalloc(&a->conversation.arena, r->call_count, sizeof(*t->calls));
	for (size_t i = 0; i < r->call_count; i++)
		answer_call(a, &r->calls[i], &t->calls[t->call_count++]);
}

/* Some servers leave in a reply what the model thought before it. */
static struct str without_thoughts(struct str text)
{
	static const char begin[] = "<think>", end[] = "</think>";
	const struct str said = str_trimmed(text);
	const char *at =
		str_starts(said, begin) ? memmem(said.s, said.len, end, strlen(end)) : NULL;

	if (!at)
		return said;
	at += strlen(end);
	return str_trimmed((struct str){at, said.len - (size_t)(at - said.s)});
}

/* Turn by turn, until the model says something and calls nothing. */
static int converse(struct asking *a, struct model_reply *ret, struct err *e)
{
	for (a->told.turns = 1;; a->told.turns++) {
		a->conversation.may_call = a->told.turns < MOST_TURNS && a->told.calls < MOST_CALLS;
		if (!a->conversation.may_call)
			(void)conversation_add(&a->conversation, false, str_of(model_last_turn));
		model_reply_free(ret);
		if (exchange(a->job->settings, &a->conversation, &a->budget, ret, e) < 0)
			return -1;
		progress_step();
		a->told.input_tokens += ret->input_tokens;
		a->told.output_tokens += ret->output_tokens;
		if (!ret->call_count)
			break;
		if (!a->conversation.may_call)
			return err_set(e, ERR_INPUT, "it calls tools without end");
		answer_calls(a, ret);
	}
	return without_thoughts(buf_str(&ret->text)).len
		       ? 0
		       : err_set(e, ERR_INPUT, "its reply is empty");
}

static bool is_name(void *ctx, struct str text)
{
	const struct trace *t = ctx;

	return strtab_find(&t->names, text) != STRTAB_NONE;
}

int model_answer(const struct model_job *job, struct report *r, struct err *e)
{
	struct asking a = {0};
	struct wording w = {0};
	struct model_reply reply = {0};
	SCOPED_BUF clean = {0};
	int result = begin(&a, job, e);

	if (result == 0) {
		progress_hold("the model's answer", MOST_TURNS);
		result = converse(&a, &reply, e);
		progress_release();
	}
	if (result == 0) {
		const struct wording_terms terms = {&a.tools.evidence, str_of(job->question),
						    is_name, job->trace};

		clean_text_add(&clean, without_thoughts(buf_str(&reply.text)), MOST_ANSWER);
		wording_make(&w, &terms, str_trimmed(buf_str(&clean)));
		model_report_make(r, &a.told, &w);
	}
	wording_free(&w);
	model_reply_free(&reply);
	end(&a);
	return result;
}

int model_add_request(struct buf *b, const struct model_job *job, struct err *e)
{
	struct string_list headers = {0};
	struct arena arena = {0};
	struct asking a = {0};
	int result = begin(&a, job, e);

	if (result == 0) {
		exchange_list_headers(job->settings, false, &arena, &headers);
		buf_addf(b, "POST %s\n", job->settings->url);
		for (size_t i = 0; i < headers.count; i++)
			buf_addf(b, "%s\n", headers.all[i]);
		buf_addc(b, '\n');
		job->settings->wire->add_request(b, &a.conversation);
		buf_addc(b, '\n');
	}
	string_list_free(&headers);
	arena_free(&arena);
	end(&a);
	return result;
}
