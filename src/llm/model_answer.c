/* What does a model make of the evidence, and what of that may people read? */
#include "llm/model_answer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "llm/exchange.h"
#include "llm/prompt.h"
#include "llm/toolbox.h"
#include "llm/wording.h"
#include "report/answer.h"
#include "report/cell_text.h"
#include "text/json_read.h"
#include "text/text.h"
#include "trace/strings.h"

#include <stdlib.h>

enum {
	MOST_TURNS = 8,
	MOST_CALLS = 16,
	MOST_RESULTS = 600000, /* bytes that tools tell */
	MOST_ANSWER = 20000,
	MOST_VALUES = 64,
};

struct asking {
	const struct model_job *job;
	struct toolbox tools;
	struct conversation conversation;
	struct budget budget;
	size_t calls, turns, told_bytes;
	int64_t input_tokens, output_tokens;
};

/* What leaves the machine of a text of the user's. */
static void add_outgoing(struct buf *b, const struct asking *a, const char *text)
{
	SCOPED_BUF clean = {0};

	wording_add_clean(&clean, str_of(text), MOST_ANSWER);
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

	if (++a->calls > MOST_CALLS || a->told_bytes > MOST_RESULTS)
		buf_adds(&result, "{\"error\":\"no further call is possible: answer now\"}");
	else if (clock_now_ns() >= a->budget.deadline_ns)
		buf_adds(&result, "{\"error\":\"the time is over\"}");
	else
		ok = toolbox_call(&a->tools, buf_str(&call->name), buf_str(&call->arguments),
				  &result);
	a->told_bytes += result.len;
	*ret = (struct called){
		.id = call->id.len ? arena_str(arena, buf_str(&call->id)).s
				   : arena_printf(arena, "call_%zu", a->calls),
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
	for (a->turns = 1;; a->turns++) {
		a->conversation.may_call = a->turns < MOST_TURNS && a->calls < MOST_CALLS;
		if (!a->conversation.may_call)
			(void)conversation_add(&a->conversation, false, str_of(model_last_turn));
		model_reply_free(ret);
		if (exchange(a->job->settings, &a->conversation, &a->budget, ret, e) < 0)
			return -1;
		progress_step();
		a->input_tokens += ret->input_tokens;
		a->output_tokens += ret->output_tokens;
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

/* What people see: names in place of aliases, in the report's memory. */
static const char *shown(struct asking *a, struct report *r, struct str text)
{
	SCOPED_BUF b = {0};

	if (!a->tools.aliases)
		return arena_str(&r->arena, text).s;
	aliases_add_shown(&b, a->tools.aliases, text);
	return arena_str(&r->arena, buf_str(&b)).s;
}

/* A paragraph each; the first is what the answer is about. */
static void add_paragraphs(struct report *r, const char *text)
{
	bool is_first = true;

	while (*text) {
		const size_t len = strcspn(text, "\n");
		const struct str line = str_trimmed((struct str){text, len});

		if (line.len) {
			report_text(r, is_first ? BLOCK_LEAD : BLOCK_NOTE, "%.*s", STR_FMT(line));
			r->blocks[r->block_count - 1].has_strikes = true;
			is_first = false;
		}
		text += len + (text[len] == '\n');
	}
}

static const char *listed(struct report *r, const struct string_list *l)
{
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < l->count; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", l->all[i]);
	return arena_str(&r->arena, buf_str(&b)).s;
}

static void say_struck(struct report *r, const struct wording *w)
{
	if (w->struck.count)
		report_warning(r, "struck out, since no evidence holds it: %s",
			       listed(r, &w->struck));
	if (w->misplaced.count)
		report_warning(r,
			       "struck out, since the evidence has it of something else than the "
			       "sentence names: %s",
			       listed(r, &w->misplaced));
}

static const struct column value_columns[] = {
	{"value", "Value", UNIT_NAME, 0, NULL, SHOW},
	{"evidence", "Evidence", UNIT_NAME, 0, "", SHOW},
	{"table", "Table", UNIT_NAME, 0, "", SHOW},
	{"column", "Column", UNIT_NAME, 0, "", SHOW},
	{"row", "Row", UNIT_NAME, 0, "", SHOW},
};

static struct cell cell_of(struct asking *a, struct report *r, const struct referred *f)
{
	int64_t whole;

	switch (json_read_kind(f->value)) {
	case JSON_KIND_NUMBER:
		return json_read_whole(f->value, &whole) ? cell_int(whole)
							 : cell_real(json_read_number(f->value));
	case JSON_KIND_BOOL:
		return cell_int(json_read_is_true(f->value));
	default:
		return cell_text(shown(a, r, json_read_string(f->value)));
	}
}

/* Which cells the answer tells. */
static void show_values(struct asking *a, struct report *r, const struct wording *w,
			struct report_answer *ret)
{
	struct answer_value *values =
		arena_zalloc(&r->arena, w->referred_count + 1, sizeof(*values));
	struct rows *rows = NULL;

	for (size_t i = 0; i < w->referred_count && i < MOST_VALUES; i++) {
		const struct referred *f = &w->referred[i];
		const char *row = f->row ? shown(a, r, f->row->name) : NULL;
		SCOPED_BUF human = {0};

		values[i] = (struct answer_value){f->evidence,
						  shown(a, r, f->table),
						  shown(a, r, f->column),
						  row,
						  f->has_unit ? f->unit : UNIT_RATIO,
						  cell_of(a, r, f)};
		referred_add_human(&human, f);
		if (!rows)
			rows = REPORT_ROWS(r, "values", NULL, value_columns);
		ROWS_ADD(rows, cell_text(shown(a, r, buf_str(&human))),
			 cell_text(arena_printf(&r->arena, "E%zu", f->evidence)),
			 cell_text(values[i].table), cell_text(values[i].column),
			 cell_text(row ? row : ""));
		ret->value_count++;
	}
	ret->values = values;
}

static void show_evidence(struct asking *a, struct report *r, struct report_answer *ret)
{
	const struct evidence_store *s = &a->tools.evidence;
	struct answer_evidence *all = arena_zalloc(&r->arena, s->count + 1, sizeof(*all));

	for (size_t i = 0; i < s->count; i++) {
		all[i] = (struct answer_evidence){
			.analysis = arena_strdup(&r->arena, s->items[i].tool),
			.command = arena_strdup(&r->arena, s->items[i].command)};
		report_note(r, "E%zu: %s", i + 1, all[i].command);
	}
	ret->evidence = all;
	ret->evidence_count = s->count;
}

/* What the program itself says stands beside what the model makes of it. */
static void say_verdict(struct asking *a, struct report *r)
{
	const struct evidence_store *s = &a->tools.evidence;

	for (size_t i = 0; i < s->count; i++) {
		const struct json *v = json_read_member(s->items[i].document, "verdict_text");

		if (v && json_read_string(v).len) {
			report_note(r, "The program's own verdict: %s (E%zu)",
				    shown(a, r, json_read_string(v)), i + 1);
			return;
		}
	}
}

static const char *const *copy_list(struct report *r, const struct string_list *a,
				    const struct string_list *b)
{
	const char **all = arena_alloc(&r->arena, a->count + b->count + 1, sizeof(*all));

	for (size_t i = 0; i < a->count + b->count; i++)
		all[i] = arena_strdup(&r->arena, i < a->count ? a->all[i] : b->all[i - a->count]);
	return all;
}

static void present(struct asking *a, struct report *r, const struct wording *w)
{
	struct report_answer *answer = arena_zalloc(&r->arena, 1, sizeof(*answer));
	struct answer_model *model = arena_zalloc(&r->arena, 1, sizeof(*model));

	*model = (struct answer_model){.name = arena_strdup(&r->arena, a->job->settings->model),
				       .turns = a->turns,
				       .calls = a->calls,
				       .input_tokens = a->input_tokens,
				       .output_tokens = a->output_tokens,
				       .struck = copy_list(r, &w->struck, &w->misplaced),
				       .struck_count = w->struck.count + w->misplaced.count};
	*answer =
		(struct report_answer){.question = text_valid(&r->arena, str_of(a->job->question)),
				       .status = "answered",
				       .text = shown(a, r, buf_str(&w->text)),
				       .model = model};
	add_paragraphs(r, answer->text);
	say_struck(r, w);
	say_verdict(a, r);
	report_heading(r, "Evidence");
	show_values(a, r, w, answer);
	show_evidence(a, r, answer);
	report_note(r, "Worded by the model %s; gpuwhy filled in or checked each number.",
		    model->name);
	r->answer = answer;
}

int model_answer(const struct model_job *job, struct report *r, struct err *e)
{
	struct asking a = {0};
	struct wording w = {0};
	struct model_reply reply = {0};
	SCOPED_BUF clean = {0}, question = {0};
	int result = begin(&a, job, e);

	if (result == 0) {
		progress_hold("the model's answer", MOST_TURNS);
		result = converse(&a, &reply, e);
		progress_release();
	}
	if (result == 0) {
		const struct wording_terms terms = {&a.tools.evidence, str_of(job->question),
						    is_name, job->trace};

		wording_add_clean(&clean, without_thoughts(buf_str(&reply.text)), MOST_ANSWER);
		wording_make(&w, &terms, str_trimmed(buf_str(&clean)));
		present(&a, r, &w);
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
