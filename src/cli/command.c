/* Which command is meant, and how does its answer or its error leave the program? */
#include "cli/command.h"

#include "base/progress.h"
#include "base/version.h"
#include "cli/output.h"
#include "cli/pager.h"
#include "cli/say.h"

#include <stdio.h>
#include <unistd.h>

const struct command *command_find(const char *name)
{
	const struct command *c;

	for (size_t i = 0; (c = command_at(i)); i++) {
		if (strcmp(c->name, name) == 0)
			return c;
	}
	return NULL;
}

static int two_traces(const char *a, const char *b, struct err *e)
{
	err_set(e, ERR_USAGE, "one trace at a time: '%s' and '%s' were given", a, b);
	return err_hint(e, "a command comes first: gpuwhy COMMAND TRACE [options]");
}

/* The option that the second operand sets, where the analysis has one that was not given. */
static bool take_second(struct invocation *inv, const char *arg, int *result, struct err *e)
{
	struct option_place p;

	for (size_t i = 0; inv->asked && group_option_at(inv->analysis->options, i, &p); i++) {
		void *args = (char *)inv->asked + p.base;

		if (!p.opt->operand || *(const char **)((char *)args + p.opt->at))
			continue;
		*result = option_set(p.opt, args, arg, NULL, e);
		return true;
	}
	return false;
}

/* One that is asked for a pattern, too, is asked about one trace. */
static bool takes_traces(const struct invocation *inv)
{
	struct option_place p;

	if (inv->spec)
		return inv->spec->has_traces;
	for (size_t i = 0; inv->asked && group_option_at(inv->analysis->options, i, &p); i++) {
		if (p.opt->operand)
			return false;
	}
	return true;
}

static int take_operand(void *ctx, const char *arg, bool after_dashes, struct err *e)
{
	struct invocation *inv = ctx;
	const struct command *c = inv->spec;
	int result;

	if (c && c->take_operand)
		return c->take_operand(inv, arg, e);
	if (c && c->has_words && (!c->has_trace || after_dashes)) {
		string_list_add(&inv->words, arg);
		inv->words_after += after_dashes;
		return 0;
	}
	if (inv->trace_path && take_second(inv, arg, &result, e))
		return result;
	if (inv->trace_path && !takes_traces(inv))
		return two_traces(inv->trace_path, arg, e);
	if (!inv->trace_path)
		inv->trace_path = arg;
	string_list_add(&inv->paths, arg);
	return 0;
}

static void begin_option(void *ctx)
{
	struct invocation *inv = ctx;

	if (inv->spec && inv->spec->begin_option)
		inv->spec->begin_option(inv);
}

static void meet_dashes(void *ctx)
{
	((struct invocation *)ctx)->has_dashes = true;
}

static int parse(struct invocation *inv, int argc, char **argv, struct err *e)
{
	const struct command *c = inv->spec;
	const struct option_parts parts = invocation_parts(inv);
	const struct command_line line = {
		.command = inv->command,
		.parts = &parts,
		.take_operand = take_operand,
		.begin_option = begin_option,
		.meet_dashes = meet_dashes,
		.explain_unknown = c ? c->explain_unknown : NULL,
		.ctx = inv,
		.runs_program = c && c->runs_program,
		.has_sides = c && c->has_sides,
	};

	if (command_line_parse(&line, argc, argv, e) < 0)
		return -1;
	return invocation_check_format(inv, invocation_may_be_tree(inv), e);
}

/* Of a command, or of the program. */
static int show_help(const char *name)
{
	struct command_view view;
	SCOPED_BUF b = {0};

	if (name && command_view_find(name, &view))
		help_command(&b, &view);
	else
		help_program(&b);
	help_print(&b);
	return 0;
}

static bool ends_in(const char *path, const char *ending)
{
	return strlen(path) > strlen(ending) && str_ends(str_of(path), ending);
}

/*
 * Whether an error may be written to -o. It may come before it is known which trace is meant: what
 * looks like a trace, or like SQLite's log of one, is left alone.
 */
static bool output_takes_error(const struct invocation *inv)
{
	const char *path = inv->output.path;
	struct err ignored;

	/* What could not be written to must not be written to; a base name is no file. */
	if (!path || inv->output_failed || (inv->spec && inv->spec->lists_reports) ||
	    (inv->trace_path && output_spare_trace(path, inv->trace_path, &ignored) < 0))
		return false;
	return !input_may_be_trace(path) && !ends_in(path, "-wal") && !ends_in(path, "-journal");
}

/* Machines get the envelope with the error in it; people the message on stderr. */
static void say_failure(struct invocation *inv, const struct err *failure)
{
	const struct presenter *how = presenter_find(invocation_format(inv));
	bool to_file = output_takes_error(inv);
	struct output out;
	struct err ignored;

	say_error(failure);
	if (!how->add_error || (inv->output_failed && !inv->output.path) ||
	    output_open(&out, to_file ? inv->output.path : NULL, &ignored) < 0)
		return;
	output_close(&out, present_error(how, &inv->report, failure, &out.sink, &ignored) == 0,
		     &ignored);
}

/* Whether --quiet was given, where the command has it. */
static bool is_quiet(struct invocation *inv)
{
	const struct option_parts parts = invocation_parts(inv);
	const struct option *quiet = parts_find(&parts, "quiet", strlen("quiet"));

	return quiet && quiet->type == OPTION_FLAG && parts_flag(&parts, quiet);
}

/* What shares the terminal with a program of the user's leaves it alone. */
static void begin_terminal(struct invocation *inv)
{
	const struct command *c = inv->spec;
	const bool shares = c && (c->runs_program || c->has_trace);

	progress_init(!is_quiet(inv));
	if (shares)
		return;
	progress_work(inv->command);
	pager_begin();
}

static int run_command(const char *name, const struct command *c, const struct analysis *a,
		       int argc, char **argv)
{
	struct invocation inv;
	struct err e = {0};
	int result, code;

	invocation_init(&inv, name, c, a);
	/* A timeline holds no error, whatever its format; a program's options are not ours. */
	if (!c || !c->own_format)
		inv.output.format = peek_format(argv);
	result = parse(&inv, argc, argv, &e);
	if (inv.output.no_pager)
		pager_forbid();
	if (result == 0 && inv.help.help) {
		result = show_help(name);
	} else if (result == 0) {
		begin_terminal(&inv);
		result = invocation_settle_trace(&inv, &e);
		if (result == 0)
			result = c ? c->run(&inv, &e) : invocation_answer(&inv, &e);
		progress_stop();
		pager_end();
		if (result < 0 && e.output && pager_was_quit())
			result = 0;
	}
	if (result < 0) {
		inv.output_failed = e.output;
		say_failure(&inv, &e);
	}
	code = result < 0 ? (int)e.code : inv.exit_code;
	invocation_free(&inv);
	return code;
}

void command_try_nearest(struct nearest *n)
{
	struct command_view view;
	const char *other;

	for (size_t i = 0; command_view_at(i, &view); i++)
		nearest_try(n, view.name);
	for (size_t i = 0; (other = command_other_name_at(i)); i++)
		nearest_try(n, other);
}

/* A word that is no command may be a trace: it then has a dot or a slash in it, or exists. */
static bool may_be_trace(const char *word)
{
	return strpbrk(word, "./") != NULL || access(word, F_OK) == 0;
}

static int unknown_command(const char *name, char **argv)
{
	struct invocation inv = {.command = name, .report = {.command = name}};
	struct nearest nearest = {name, NULL, NEAREST_LETTERS};
	struct err e;

	command_try_nearest(&nearest);
	inv.output.format = peek_format(argv);
	err_set(&e, ERR_USAGE, "there is no command '%s'", name);
	if (nearest.found)
		err_hint(&e, "did you mean '%s'?", nearest.found);
	else
		err_hint(&e, "gpuwhy --help lists the commands");
	say_failure(&inv, &e);
	return ERR_USAGE;
}

static int run_words(int argc, char **argv)
{
	const char *word = argc > 1 ? command_for_word(argv[1]) : "--help";
	const struct command *c = command_find(word);
	const struct analysis *a = analysis_find(word, false);

	if (strcmp(word, "complete") == 0)
		return complete_main(argc - 2, argv + 2);
	if (strcmp(word, "--version") == 0)
		return printf("gpuwhy " GPUWHY_VERSION "\n") < 0 ? ERR_SYSTEM : 0;
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return argc > 2 ? help_main(argv[2]) : show_help(NULL);
	if (c || a)
		return run_command(c ? c->name : a->name, c, a, argc - 2, argv + 2);
	if (word[0] == '-' || may_be_trace(word))
		return run_command("overview", NULL, analysis_find("overview", false), argc - 1,
				   argv + 1);
	return unknown_command(word, argv + 2);
}

/* As git has it: --no-pager may come before the command. */
static bool take_no_pager(int *argc, char ***argv)
{
	if (*argc < 2 || strcmp((*argv)[1], "--no-pager") != 0)
		return false;
	pager_forbid();
	--*argc;
	++*argv;
	return true;
}

/* "agent ask", "agent analyze": the words of another tool for the same commands. */
static bool take_agent(int *argc, char ***argv)
{
	if (*argc < 2 || strcmp((*argv)[1], "agent") != 0)
		return true;
	if (*argc < 3 || (strcmp((*argv)[2], "ask") != 0 && strcmp((*argv)[2], "analyze") != 0))
		return false;
	--*argc;
	++*argv;
	return true;
}

static int explain_agent(int argc, char **argv)
{
	const bool is_asked =
		argc < 3 || strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0;

	(void)fputs(
		"gpuwhy agent ask TRACE [QUESTION] is gpuwhy ask, gpuwhy agent analyze TRACE is "
		"gpuwhy analyze.\n"
		"--help after either lists the options; --llm URL --model NAME has a model word "
		"the "
		"answer.\n",
		is_asked ? stdout : stderr);
	return is_asked ? 0 : ERR_USAGE;
}

int command_main(int argc, char **argv)
{
	while (take_no_pager(&argc, &argv))
		continue;
	if (!take_agent(&argc, &argv))
		return explain_agent(argc, argv);
	return run_words(argc, argv);
}
