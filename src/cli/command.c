/* Which command is meant, and how does its answer or its error leave the program? */
#include "cli/command.h"

#include "base/mem.h"
#include "base/progress.h"
#include "base/version.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/peaks.h"
#include "commands/schema/schema_page.h"
#include "input/input.h"
#include "text/nearest.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEFAULT_ROWS = 20 };

static const struct command *const commands[] = {
	&command_stats,	     &command_report,	   &command_graph,    &command_export,
	&command_export_csv, &command_export_json, &command_markdown, &command_man,
	&command_completion, &command_query,	   &command_skill,    &command_profile,
	&command_runs,	     &command_inspect,	   &command_ncu,      &command_roofline,
};

const struct command *command_at(size_t i)
{
	return i < ARRAY_LEN(commands) ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

uint64_t analysis_accepts(const struct analysis *a)
{
	return a->params | OPT_TRACE | OPT_OUTPUT;
}

const char *invocation_format(const struct invocation *inv)
{
	return inv->options.format ? inv->options.format : "text";
}

void invocation_default_limit(struct invocation *inv)
{
	const char *format = invocation_format(inv);
	bool people = strcmp(format, "text") == 0 || strcmp(format, "markdown") == 0;
	uint64_t rows = DEFAULT_ROWS;

	if (inv->analysis && inv->analysis->params & PARAM_ALL_ROWS)
		people = false;
	if (inv->analysis && inv->analysis->people_rows)
		rows = inv->analysis->people_rows;
	if (!inv->options.limit_given)
		inv->options.params.limit = people ? rows : 0;
}

int invocation_open_trace(struct invocation *inv, struct err *e)
{
	const struct input_options how = {.nsys = inv->options.nsys,
					  .nsys_option = inv->options.nsys_option};
	struct sqlitefile *file;
	char *path;
	int result;

	if (!inv->options.trace) {
		err_set(e, ERR_USAGE, "%s needs a trace", inv->command);
		return err_hint(e, "gpuwhy %s trace.sqlite", inv->command);
	}
	inv->report.has_trace = true;
	inv->report.trace.path = inv->options.trace;
	if (input_resolve(inv->options.trace, &how, &path, e) < 0)
		return -1;
	result = sqlitefile_open(&file, path, e);
	free(path);
	if (result < 0 || trace_open(&inv->trace, inv->options.trace, file, e) < 0 ||
	    (inv->options.params.comm &&
	     trace_add_comm(inv->trace, inv->options.params.comm, e) < 0))
		return -1;
	inv->report.trace = (struct report_trace){
		.path = inv->trace->path,
		.tool = inv->trace->meta.tool,
		.schema = inv->trace->meta.schema,
		.has_span = inv->trace->meta.has_span,
		.span_ns = inv->trace->meta.span_ns,
	};
	return 0;
}

static int run_analysis(struct invocation *inv, struct err *e)
{
	const struct analysis *a = inv->analysis;

	if (inv->options.explorer)
		return schema_page_run(inv, e);
	if (inv->options.peaks)
		return peaks_run(inv, e);
	invocation_default_limit(inv);
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(a, inv->trace, &inv->options.params, &inv->report, e) < 0)
		return -1;
	return output_report(&inv->report, presenter_find(invocation_format(inv)),
			     inv->options.output, inv->options.colour, e);
}

/* Of a command, or of the program. */
static int show_help(const char *name)
{
	struct command_view view;
	struct buf b = {0};

	if (name && command_view_find(name, &view))
		help_command(&b, &view);
	else
		help_program(&b);
	fputs(b.s, stdout);
	buf_free(&b);
	return 0;
}

static bool ends_in(const char *path, const char *ending)
{
	size_t len = strlen(path), n = strlen(ending);

	return len > n && strcmp(path + len - n, ending) == 0;
}

/*
 * Whether an error may be written to -o. It may come before it is known which trace is meant: what
 * looks like a trace, or like SQLite's log of one, is left alone.
 */
static bool output_takes_error(const struct invocation *inv)
{
	const char *path = inv->options.output, *trace = inv->options.trace;
	struct err ignored;

	/* What could not be written to must not be written to; a base name is no file. */
	if (!path || inv->output_failed || inv->options.report_count ||
	    (trace && output_spare_trace(path, trace, &ignored) < 0))
		return false;
	return !input_may_be_trace(path) && !ends_in(path, "-wal") && !ends_in(path, "-journal");
}

/* Machines get the envelope with the error in it; people the message on stderr. */
static void present_error(struct invocation *inv, const struct err *failure)
{
	const struct presenter *how = presenter_find(invocation_format(inv));
	bool to_file = output_takes_error(inv);
	struct output out;
	struct err ignored;

	say_error(failure);
	if (!how->error || (inv->output_failed && !inv->options.output) ||
	    output_open(&out, to_file ? inv->options.output : NULL, &ignored) < 0)
		return;
	output_close(&out, how->error(&inv->report, failure, &out.sink, &ignored) == 0, &ignored);
}

static int run_command(const char *name, const struct command *c, const struct analysis *a,
		       int argc, char **argv)
{
	struct invocation inv = {.command = name, .analysis = a, .report = {.command = name}};
	const uint64_t accepts = c ? c->accepts : analysis_accepts(a);
	struct err e = {0};
	int result;

	/* A timeline holds no error, whatever its format; a program's options are not ours. */
	if (!(accepts & (OPT_EXPORT | OPT_PROFILE | OPT_INSPECT)))
		inv.options.format = options_peek_format(argv);
	result = options_parse(&inv.options, name, accepts, argc, argv, &e);
	if (result == 0 && inv.options.help) {
		result = show_help(name);
	} else if (result == 0) {
		progress_init(true);
		result = c ? c->run(&inv, &e) : run_analysis(&inv, &e);
	}
	if (result < 0) {
		inv.output_failed = e.output;
		present_error(&inv, &e);
	}
	report_free(&inv.report);
	trace_close(inv.trace);
	options_free(&inv.options);
	return result < 0 ? (int)e.code : inv.exit_code;
}

static const char *nearest_command(const char *name)
{
	struct nearest n = {name, NULL, 3};
	struct command_view view;

	for (size_t i = 0; command_view_at(i, &view); i++)
		nearest_try(&n, view.name);
	return n.found;
}

/* A word that is no command may be a trace: it then has a dot or a slash in it, or exists. */
static bool may_be_trace(const char *word)
{
	return strpbrk(word, "./") != NULL || access(word, F_OK) == 0;
}

static int unknown_command(const char *name, char **argv)
{
	struct invocation inv = {.command = name, .report = {.command = name}};
	const char *nearest = nearest_command(name);
	struct err e;

	inv.options.format = options_peek_format(argv);
	err_set(&e, ERR_USAGE, "there is no command '%s'", name);
	if (nearest)
		err_hint(&e, "did you mean '%s'?", nearest);
	else
		err_hint(&e, "gpuwhy --help lists the commands");
	present_error(&inv, &e);
	return ERR_USAGE;
}

static int help_about(const char *name)
{
	struct command_view view;

	return command_view_find(name, &view) ? show_help(name) : unknown_command(name, NULL);
}

int command_main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "--help";
	const struct command *c = command_find(word);
	const struct analysis *a = analysis_find(word, false);

	if (strcmp(word, "complete") == 0)
		return complete_main(argc - 2, argv + 2);
	if (strcmp(word, "--version") == 0)
		return printf("gpuwhy " GPUWHY_VERSION "\n") < 0 ? ERR_SYSTEM : 0;
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
		return argc > 2 ? help_about(argv[2]) : show_help(NULL);
	if (c || a)
		return run_command(word, c, a, argc - 2, argv + 2);
	if (word[0] == '-' || may_be_trace(word))
		return run_command("overview", NULL, analysis_find("overview", false), argc - 1,
				   argv + 1);
	return unknown_command(word, argv + 2);
}
