/* gpuwhy analyze: the whole diagnosis as prose, with its evidence. */
#include "ask/analyze.h"

#include "analysis/scope.h"
#include "base/mem.h"
#include "cli/command.h"
#include "commands/ask/model.h"
#include "options/args.h"
#include "text/text.h"

#include <inttypes.h>
#include <stdlib.h>

static int answer(struct invocation *inv, struct err *e)
{
	inv->report.command = "analyze";
	return analyze_answer(inv->trace, inv->analysis->options, inv->asked, &inv->report, e);
}

static int answer_plainly(struct invocation *inv, const char *question, struct ask_memory *memory,
			  struct report *r, struct err *e)
{
	(void)question;
	(void)memory;
	return analyze_answer(inv->trace, inv->analysis->options, inv->asked, r, e);
}

/* Of all that findings can be asked, a model is told the part of the trace. */
static int check_choice(const struct invocation *inv, struct err *e)
{
	const struct option_group *g = inv->analysis->options;
	SCOPED_BUF asked = {0}, usual = {0};
	void *args = mem_zalloc(1, g->size);
	struct scope *scope;

	args_init(g, args);
	scope = args_part(g, args, &scope_options);
	*scope = *(const struct scope *)args_part_const(g, inv->asked, &scope_options);
	args_add_key(&usual, g, args);
	args_add_key(&asked, g, inv->asked);
	*scope = (struct scope){0};
	args_free(g, args);
	free(args);
	if (str_eq(buf_str(&asked), buf_str(&usual)))
		return 0;
	return err_set(e, ERR_USAGE,
		       "with --llm, analyze takes a window, and no other choice of findings");
}

static void add_seconds(struct buf *b, int64_t ns)
{
	buf_addf(b, "%" PRId64 ".%09" PRId64, ns / 1000000000, ns % 1000000000);
}

/* The part of the trace that is asked about, as parameters of an analysis; empty: the usual one. */
static void add_params(struct buf *b, const struct scope *s)
{
	static const char *const spans[] = {
		[SPAN_WARM] = "warm", [SPAN_GPU] = "gpu", [SPAN_ALL] = "all"};

	if (scope_is_trimmed(s)) {
		buf_adds(b, ",\"trim\":\"");
		add_seconds(b, s->from_ns);
		buf_addc(b, ' ');
		add_seconds(b, s->to_ns);
		buf_addc(b, '"');
	}
	if (s->has_iteration)
		buf_addf(b, ",\"iteration\":%" PRIu64, s->iteration);
	if (s->span != SPAN_DEFAULT)
		buf_addf(b, ",\"span\":\"%s\"", spans[s->span]);
	if (s->has_device)
		buf_addf(b, ",\"device\":%" PRIu32, s->device);
	if (s->has_pid)
		buf_addf(b, ",\"pid\":%" PRIu32, s->pid);
	if (s->marker) {
		buf_adds(b, ",\"marker\":");
		text_add_json(b, str_of(s->marker));
	}
	if (!b->len)
		return;
	b->s[0] = '{';
	buf_addc(b, '}');
}

static int run_model(struct invocation *inv, const struct model_args *o, struct err *e)
{
	const struct option_group *g = inv->analysis->options;
	struct model_question q = {.plain = answer_plainly};
	SCOPED_BUF window = {0};

	add_params(&window, args_part_const(g, inv->asked, &scope_options));
	q.window = window.len ? window.s : NULL;
	if (o->dry_run)
		return model_show_request(inv, o, &q, e);
	if (model_ask(inv, o, &q, &inv->report, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	const struct model_args *o = inv->args;

	if ((o->llm && check_choice(inv, e) < 0) || invocation_open_trace(inv, e) < 0)
		return -1;
	inv->report.command = "analyze";
	if (o->llm)
		return run_model(inv, o, e);
	return answer(inv, e) < 0 ? -1 : invocation_present(inv, e);
}

const struct command command_analyze = {
	.name = "analyze",
	.operand = "TRACE",
	.summary = "the whole diagnosis in words: what, why, what to do, what to check next",
	.example = "gpuwhy analyze trace.sqlite",
	.options = &model_options,
	.analysis = "findings",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.answer = answer,
	.run = run,
};
