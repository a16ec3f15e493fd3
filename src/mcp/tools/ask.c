/* analyze, ask: what do the commands of that name say, to a question in words or to none? */
#include "mcp/call.h"

/* The command's own answer, from a trace that is open. */
static int answer(struct call *c, const char *name, const char *question, struct err *e)
{
	const struct command *command = command_find(name);
	struct open_trace *t;
	int result;

	call_begin(c, name, command, NULL);
	call_reproduce(c, name, call_trace_word(c), question, NULL);
	if (question)
		string_list_add(&c->inv.words, question);
	if (call_open_trace(c, NULL, &t, e) < 0)
		return -1;
	c->inv.trace = open_trace_of(t);
	result = command->answer(&c->inv, e);
	c->inv.trace = NULL;
	return result;
}

static int run_ask(struct call *c, struct err *e)
{
	return answer(c, "ask", argument_text(c->arguments, "question"), e);
}

static int run_analyze(struct call *c, struct err *e)
{
	return answer(c, "analyze", NULL, e);
}

static const struct tool_param ask_params[] = {
	PARAM_TRACE,
	{.type = PARAM_TEXT,
	 .name = "question",
	 .is_required = true,
	 .help = "A question about the run, in words: \"why is GPU 3 idle in step 17?\""},
	PARAM_CURSOR,
	PARAM_LAST(),
};

const struct mcp_tool tool_ask = {
	.name = "ask",
	.title = "Ask in words",
	.description = "Answers a question about a trace from evidence, without a model: picks the "
		       "analyses, runs them, and answers in sentences made of their cells, with "
		       "the rows and the commands behind them. Says so where it cannot tell.",
	.params = ask_params,
	.next = "call trace_info with this trace: it tells what the capture holds and lacks",
	.run = run_ask,
};

static const struct tool_param analyze_params[] = {PARAM_TRACE, PARAM_CURSOR, PARAM_LAST()};

const struct mcp_tool tool_analyze = {
	.name = "analyze",
	.title = "The whole diagnosis",
	.description = "The diagnosis of a trace as prose with evidence: what costs time, why, "
		       "what to do, what to check next.",
	.params = analyze_params,
	.next = "call trace_info with this trace: it tells what the capture holds and lacks",
	.run = run_analyze,
};
