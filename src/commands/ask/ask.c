/* gpuwhy ask: questions in words, answered from evidence; without one, a conversation. */
#include "ask/ask.h"

#include "base/mem.h"
#include "base/progress.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/say.h"
#include "commands/ask/asked_besides.h"
#include "commands/ask/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int answer_plainly(struct invocation *inv, const char *question, struct ask_memory *memory,
			  struct report *r, struct err *e)
{
	return ask_answer(inv->trace, question, memory, asked_besides, r, e);
}

/* What a conversation goes on from. */
struct talk {
	struct ask_memory memory;
	struct model_talk *model;
};

/* By the model, where one is asked for. */
static int answer_question(struct invocation *inv, const char *question, struct talk *talk,
			   struct report *r, struct err *e)
{
	const struct model_question q = {.text = question,
					 .memory = &talk->memory,
					 .talk = &talk->model,
					 .plain = answer_plainly};
	const struct model_args *o = inv->args;

	return o->llm ? model_ask(inv, o, &q, r, e)
		      : answer_plainly(inv, question, &talk->memory, r, e);
}

/* For machines that ask: without a model. */
static int answer(struct invocation *inv, struct err *e)
{
	if (!inv->words.count || !inv->words.all[0][0])
		return err_set(e, ERR_USAGE, "ask needs a question");
	inv->report.command = "ask";
	return ask_answer(inv->trace, inv->words.all[0], NULL, asked_besides, &inv->report, e);
}

/* One question of a conversation; what is wrong with one does not end it. */
static int answer_line(struct invocation *inv, const char *line, struct talk *talk, struct err *e)
{
	struct report r = {.command = "ask", .has_trace = true, .trace = inv->report.trace};
	struct err failure = {0};
	int result = 0;

	if (answer_question(inv, line, talk, &r, &failure) < 0)
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
	struct talk talk = {0};
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int result = 0;

	/* Each answer is there at once, and whoever thinks sees no progress meanwhile. */
	progress_stop();
	pager_end();
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
		result = answer_line(inv, line, &talk, e);
		if (result == 0 && (putchar('\n') == EOF || fflush(stdout) == EOF))
			result = err_set_errno(e, "standard output");
	}
	ask_forget(&talk.memory);
	model_talk_free(talk.model);
	free(line);
	return result;
}

/* One question, by the model. */
static int run_model(struct invocation *inv, const struct model_args *o, struct err *e)
{
	const struct model_question q = {.text = inv->words.all[0], .plain = answer_plainly};

	if (!q.text[0])
		return err_set(e, ERR_USAGE, "ask needs a question");
	if (o->dry_run)
		return model_show_request(inv, o, &q, e);
	inv->report.command = "ask";
	if (model_ask(inv, o, &q, &inv->report, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

static int run(struct invocation *inv, struct err *e)
{
	const struct model_args *o = inv->args;

	if (inv->words.count > 1)
		return err_set(e, ERR_USAGE, "one question, in quotes: gpuwhy ask TRACE \"…\"");
	if (invocation_open_trace(inv, e) < 0)
		return -1;
	if (!inv->words.count && o->dry_run)
		return err_set(e, ERR_USAGE, "--dry-run needs a question");
	if (!inv->words.count)
		return converse(inv, e);
	if (o->llm)
		return run_model(inv, o, e);
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
		"and no socket opened, unless --llm says so: then a model words the answer, and "
		"every number in it is the program's. Without a question it is a conversation.",
	.example = "gpuwhy ask trace.sqlite \"why are there bubbles in the pipeline?\"",
	.options = &model_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.take_operand = take_operand,
	.answer = answer,
	.run = run,
};
