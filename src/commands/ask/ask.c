/* gpuwhy ask: questions in words, answered from evidence; without one, a conversation. */
#include "ask/ask.h"

#include "base/mem.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/say.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int answer(struct invocation *inv, struct err *e)
{
	if (!inv->words.count || !inv->words.all[0][0])
		return err_set(e, ERR_USAGE, "ask needs a question");
	inv->report.command = "ask";
	return ask_answer(inv->trace, inv->words.all[0], NULL, &inv->report, e);
}

/* One question of a conversation; what is wrong with one does not end it. */
static int answer_line(struct invocation *inv, const char *line, struct ask_memory *memory,
		       struct err *e)
{
	struct report r = {.command = "ask", .has_trace = true, .trace = inv->report.trace};
	struct err failure = {0};
	int result = 0;

	if (ask_answer(inv->trace, line, memory, &r, &failure) < 0)
		say_error(&failure);
	else
		result = output_report(&r, presenter_find(invocation_format(inv)), NULL,
				       inv->output.colour, e);
	report_free(&r);
	return result;
}

/* A line each, from a terminal or a pipe; an empty one, quit or the end of input ends it. */
static int converse(struct invocation *inv, struct err *e)
{
	const bool is_person = isatty(STDIN_FILENO);
	struct ask_memory memory = {0};
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int result = 0;

	if (is_person)
		fprintf(stderr,
			"Ask about %s; \"and on GPU 1?\" goes on from the question before; "
			"an empty line ends it.\n",
			inv->trace_path);
	while (result == 0) {
		if (is_person)
			fputs("? ", stderr);
		len = getline(&line, &cap, stdin);
		while (len > 0 && (line[len - 1] == '\n' || line[len - 1] == '\r'))
			line[--len] = '\0';
		if (len <= 0 || strcmp(line, "quit") == 0 || strcmp(line, "exit") == 0)
			break;
		result = answer_line(inv, line, &memory, e);
		if (result == 0 && (putchar('\n') == EOF || fflush(stdout) == EOF))
			result = err_set_errno(e, "standard output");
	}
	ask_forget(&memory);
	free(line);
	return result;
}

static int run(struct invocation *inv, struct err *e)
{
	if (inv->words.count > 1)
		return err_set(e, ERR_USAGE, "one question, in quotes: gpuwhy ask TRACE \"…\"");
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	if (!inv->words.count)
		return converse(inv, e);
	return answer(inv, e) < 0 ? -1 : invocation_present(inv, e);
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
	.operand = "TRACE [\"QUESTION\"]",
	.summary = "a question in words, answered from evidence, with the commands that show it",
	.detail =
		"The program finds which analyses the question means (at most four), runs them and "
		"answers in sentences made of their cells, each with the command that gives it "
		"again. It knows GPUs, ranks, streams, steps, windows (10 to 20 ms), the top N, "
		"and "
		"names of kernels and ranges. It says what the capture cannot tell and which flag "
		"would bring it, and offers like questions where it is not sure. No model is asked "
		"and no socket opened. Without a question it is a conversation.",
	.example = "gpuwhy ask trace.sqlite \"why are there bubbles in the pipeline?\"",
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.take_operand = take_operand,
	.answer = answer,
	.run = run,
};
