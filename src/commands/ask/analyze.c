/* gpuwhy analyze: the whole diagnosis as prose, with its evidence. */
#include "ask/analyze.h"

#include "base/mem.h"
#include "cli/command.h"
#include "commands/ask/model.h"
#include "options/args.h"

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

/* The model is given the diagnosis of the usual window. */
static int check_window(const struct invocation *inv, struct err *e)
{
	const struct option_group *g = inv->analysis->options;
	SCOPED_BUF asked = {0}, usual = {0};
	void *args = mem_zalloc(1, g->size);

	args_init(g, args);
	args_add_key(&usual, g, args);
	args_add_key(&asked, g, inv->asked);
	args_free(g, args);
	free(args);
	if (str_eq(buf_str(&asked), buf_str(&usual)))
		return 0;
	err_set(e, ERR_USAGE,
		"with --llm, analyze takes no window and no other choice of findings");
	return err_hint(e, "gpuwhy ask %s \"…\" --llm URL: name the window in the question",
			inv->trace_path ? inv->trace_path : "TRACE");
}

static int run(struct invocation *inv, struct err *e)
{
	const struct model_question q = {.plain = answer_plainly};
	const struct model_args *o = inv->args;
	int result = o->llm ? check_window(inv, e) : 0;

	if (result == 0)
		result = invocation_open_trace(inv, e);

	if (result == 0 && o->dry_run)
		return model_show_request(inv, o, NULL, e);
	inv->report.command = "analyze";
	if (result == 0)
		result = o->llm ? model_ask(inv, o, &q, &inv->report, e) : answer(inv, e);
	return result == 0 ? invocation_present(inv, e) : -1;
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
