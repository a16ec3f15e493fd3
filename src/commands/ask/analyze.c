/* gpuwhy analyze: the whole diagnosis as prose, with its evidence. */
#include "ask/analyze.h"

#include "cli/command.h"

static int answer(struct invocation *inv, struct err *e)
{
	inv->report.command = "analyze";
	return analyze_answer(inv->trace, inv->analysis->options, inv->asked, &inv->report, e);
}

static int run(struct invocation *inv, struct err *e)
{
	if (invocation_open_trace(inv, e) < 0 || answer(inv, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

const struct command command_analyze = {
	.name = "analyze",
	.operand = "TRACE",
	.summary = "the whole diagnosis in words: what, why, what to do, what to check next",
	.example = "gpuwhy analyze trace.sqlite",
	.analysis = "findings",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.answer = answer,
	.run = run,
};
