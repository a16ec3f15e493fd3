/* What does a model make of the evidence, and what of that may people read? */
#include "llm/model_answer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "llm/exchange.h"
#include "llm/model_report.h"
#include "llm/outgoing/clean_text.h"
#include "llm/prompt.h"
#include "llm/spoken.h"
#include "text/json_read.h"
#include "text/text.h"
#include "trace/strings.h"

#include <stdlib.h>

enum {
	MOST_TURNS = 8,
	MOST_CALLS = 16,
	MOST_RESULTS = 600000,	  /* bytes that tools tell for a question */
	MOST_TALK_BYTES = 500000, /* of a conversation that another question may go on from */
};

struct model_talk {
	struct toolbox tools;
	struct conversation conversation;
	size_t bytes; /* of it */
};

/* A question of it. */
struct asking {
	const struct model_job *job;
	struct model_talk *talk;
	struct budget budget;
	size_t told_bytes;
	struct model_told told;
	struct spoken spoken;
};

/* What leaves the machine of a text of the user's. */
static void add_outgoing(struct buf *b, const struct model_talk *t, const char *text)
{
	SCOPED_BUF clean = {0};

	clean_text_add(&clean, str_of(text), SPOKEN_MOST);
	if (t->tools.aliases)
		aliases_add_question(b, t->tools.aliases, buf_str(&clean));
	else
		buf_addstr(b, buf_str(&clean));
}

/* Facts and findings come first: a model that has them needs few calls. */
static void add_facts(struct buf *b, struct model_talk *t, const struct model_job *job)
{
	SCOPED_BUF findings = {0};

	(void)toolbox_call(&t->tools, STR_LIT("trace_info"), STR_LIT(""), b);
	buf_addc(b, '\n');
	if (job->window) {
		buf_addf(&findings, "{\"skill\":\"findings\",\"params\":%s}", job->window);
		(void)toolbox_call(&t->tools, STR_LIT("skill_run"), buf_str(&findings), b);
		buf_addf(b,
			 "\nAnswer about this part of the capture alone; it is params of "
			 "skill_run: %s",
			 job->window);
	} else {
		(void)toolbox_call(&t->tools, STR_LIT("analyze"), STR_LIT(""), b);
	}
	buf_addc(b, '\n');
}

static int begin_talk(struct model_talk *t, const struct model_job *job, struct err *e)
{
	struct conversation *c = &t->conversation;

	if (toolbox_open(&t->tools, job->path, job->redacts, e) < 0 ||
	    strings_load(job->trace, e) < 0)
		return -1;
	if (job->redacts && aliases_make(&t->tools.aliases, job->trace, t->tools.trace, e) < 0)
		return -1;
	c->model = arena_strdup(&c->arena, job->settings->model);
	c->system = model_prompt;
	c->tools = t->tools.tools;
	c->tool_count = t->tools.count;
	c->max_tokens = job->settings->max_tokens;
	c->limits_completion = job->settings->limits_completion;
	return 0;
}

/* Whether there is room for what a question may come to. */
static bool has_room(const struct model_talk *t)
{
	return t->bytes < MOST_TALK_BYTES &&
	       t->conversation.turn_count + 2 * MOST_TURNS <= CONVERSATION_MOST_TURNS &&
	       t->tools.evidence.count + MOST_CALLS <= EVIDENCE_MOST;
}

static bool is_name(void *ctx, struct str text)
{
	const struct trace *t = ctx;

	return strtab_find(&t->names, text) != STRTAB_NONE;
}

static void begin_question(struct asking *a, const struct model_job *job)
{
	struct model_talk *t = a->talk;
	const size_t before = t->tools.evidence.count;
	SCOPED_BUF said = {0};

	if (!t->conversation.turn_count)
		add_facts(&said, t, job);
	buf_adds(&said, "The question of the user: ");
	add_outgoing(&said, t, job->question);
	t->conversation.may_call = true;
	(void)conversation_add(&t->conversation, false, buf_str(&said));
	a->job = job;
	a->told = (struct model_told){.tools = &t->tools,
				      .model = job->settings->model,
				      .question = job->question,
				      .evidence_before = before,
				      .is_told = job->tell};
	a->budget.deadline_ns = clock_now_ns() + (int64_t)(job->settings->timeout_s * 1e9);
	a->budget.tokens = (int64_t)job->settings->token_budget;
	a->spoken = (struct spoken){
		.terms = {&t->tools.evidence, str_of(job->question), is_name, job->trace}};
}

void model_talk_free(struct model_talk *t)
{
	if (!t)
		return;
	conversation_free(&t->conversation);
	toolbox_close(&t->tools);
	free(t);
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
	struct arena *arena = &a->talk->conversation.arena;
	SCOPED_BUF result = {0};
	bool ok = false;

	if (++a->told.calls > MOST_CALLS || a->told_bytes > MOST_RESULTS)
		buf_adds(&result, "{\"error\":\"no further call is possible: answer now\"}");
	else if (clock_now_ns() >= a->budget.deadline_ns)
		buf_adds(&result, "{\"error\":\"the time is over\"}");
	else
		ok = toolbox_call(&a->talk->tools, buf_str(&call->name), buf_str(&call->arguments),
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
	struct conversation *c = &a->talk->conversation;
	struct turn *t = conversation_add(c, true, buf_str(&r->text));

	t->calls = arena_zalloc(&c->arena, r->call_count, sizeof(*t->calls));
	for (size_t i = 0; i < r->call_count; i++)
		answer_call(a, &r->calls[i], &t->calls[t->call_count++]);
}

/* What comes while a reply does; one that calls tools was no answer. */
static void listen(void *ctx, const struct model_reply *r)
{
	struct asking *a = ctx;

	if (!r->call_count)
		spoken_go_on(&a->spoken, buf_str(&r->text), false);
}

/* Turn by turn, until the model says something and calls nothing. */
static int converse(struct asking *a, struct model_reply *ret, struct err *e)
{
	struct conversation *c = &a->talk->conversation;
	const struct reply_reader reader = {listen, a};

	for (a->told.turns = 1;; a->told.turns++) {
		c->may_call = a->told.turns < MOST_TURNS && a->told.calls < MOST_CALLS;
		if (!c->may_call)
			(void)conversation_add(c, false, str_of(model_last_turn));
		model_reply_free(ret);
		spoken_begin_anew(&a->spoken);
		if (exchange(a->job->settings, c, &a->budget, &reader, ret, e) < 0)
			return -1;
		progress_step();
		a->told.input_tokens += ret->input_tokens;
		a->told.output_tokens += ret->output_tokens;
		if (!ret->call_count)
			break;
		if (!c->may_call)
			return err_set(e, ERR_INPUT, "it calls tools without end");
		answer_calls(a, ret);
	}
	return spoken_without_thoughts(buf_str(&ret->text)).len
		       ? 0
		       : err_set(e, ERR_INPUT, "its reply is empty");
}

/* Names come back before anybody reads it. */
static void tell_shown(void *ctx, struct str text)
{
	const struct asking *a = ctx;
	SCOPED_BUF shown = {0};

	if (a->talk->tools.aliases)
		aliases_add_shown(&shown, a->talk->tools.aliases, text);
	else
		buf_addstr(&shown, text);
	a->job->tell(a->job->ctx, buf_str(&shown));
}

static int answer(struct model_talk *t, const struct model_job *job, struct report *r,
		  struct err *e)
{
	struct asking a = {.talk = t};
	struct model_reply reply = {0};
	int result;

	begin_question(&a, job);
	if (job->tell) {
		a.spoken.tell = tell_shown;
		a.spoken.ctx = &a;
	}
	progress_hold("the model's answer", MOST_TURNS);
	result = converse(&a, &reply, e);
	progress_release();
	if (result == 0) {
		spoken_go_on(&a.spoken, buf_str(&reply.text), true);
		model_report_make(r, &a.told, &a.spoken.wording);
		(void)conversation_add(&t->conversation, true,
				       spoken_without_thoughts(buf_str(&reply.text)));
		t->bytes = a.budget.sent_bytes / a.told.turns;
	}
	spoken_free(&a.spoken);
	model_reply_free(&reply);
	return result;
}

int model_answer(struct model_talk **talk, const struct model_job *job, struct report *r,
		 struct err *e)
{
	int result = 0;

	if (*talk && !has_room(*talk)) {
		model_talk_free(*talk);
		*talk = NULL;
	}
	if (!*talk) {
		*talk = mem_zalloc(1, sizeof(**talk));
		result = begin_talk(*talk, job, e);
	}
	if (result == 0)
		result = answer(*talk, job, r, e);
	/* A question without an answer is nothing to go on from. */
	if (result < 0) {
		model_talk_free(*talk);
		*talk = NULL;
	}
	return result;
}

int model_add_request(struct buf *b, const struct model_job *job, struct err *e)
{
	struct string_list headers = {0};
	struct arena arena = {0};
	struct model_talk *t = mem_zalloc(1, sizeof(*t));
	struct asking a = {.talk = t};
	int result = begin_talk(t, job, e);

	if (result == 0) {
		begin_question(&a, job);
		exchange_list_headers(job->settings, false, &arena, &headers);
		buf_addf(b, "POST %s\n", job->settings->url);
		for (size_t i = 0; i < headers.count; i++)
			buf_addf(b, "%s\n", headers.all[i]);
		buf_addc(b, '\n');
		job->settings->wire->add_request(b, &t->conversation);
		buf_addc(b, '\n');
	}
	string_list_free(&headers);
	arena_free(&arena);
	model_talk_free(t);
	return result;
}
