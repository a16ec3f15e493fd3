/* gpuwhy ask: a question in words, answered from evidence. */
#include "ask/ask.h"

#include "cli/command.h"

static int answer(struct invocation *inv, struct err *e)
{
	if (!inv->words.count || !inv->words.all[0][0])
		return err_set(e, ERR_USAGE, "ask needs a question");
	inv->report.command = "ask";
	return ask_answer(inv->trace, inv->words.all[0], &inv->report, e);
}

static int run(struct invocation *inv, struct err *e)
{
	if (invocation_open_trace(inv, e) < 0 || answer(inv, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

static int take_operand(struct invocation *inv, const char *arg, struct err *e)
{
	(void)e;
	if (!inv->trace_path)
		inv->trace_path = arg;
	else
		string_list_add(&inv->words, arg);
	return 0;
}

const struct command command_ask = {
	.name = "ask",
	.operand = "TRACE \"QUESTION\"",
	.summary = "a question in words, answered from evidence, with the commands that show it",
	.example = "gpuwhy ask trace.sqlite \"why are there bubbles in the pipeline?\"",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.take_operand = take_operand,
	.answer = answer,
	.run = run,
};
