/* What was asked on a command line, and how does the answer come about? */
#include "cli/command.h"

#include "base/mem.h"
#include "cli/output.h"
#include "fleet/job/trace_clocks.h"
#include "input/run_traces.h"
#include "text/units.h"

#include <stdlib.h>

enum { DEFAULT_ROWS = 20 };

static void *new_args(const struct option_group *g)
{
	void *args = g ? mem_zalloc(1, g->size) : NULL;

	if (g)
		args_init(g, args);
	return args;
}

void invocation_init(struct invocation *inv, const char *name, const struct command *c,
		     const struct analysis *a)
{
	if (c && c->analysis)
		a = analysis_find(c->analysis, false);
	*inv = (struct invocation){
		.command = name, .spec = c, .analysis = a, .report = {.command = name}};
	inv->args = c ? new_args(c->options) : NULL;
	inv->asked = a ? new_args(a->options) : NULL;
}

void invocation_free(struct invocation *inv)
{
	report_free(&inv->report);
	trace_close(inv->trace);
	if (inv->captures)
		traces_close(inv->captures);
	free(inv->captures);
	if (inv->args)
		args_free(inv->spec->options, inv->args);
	if (inv->asked)
		args_free(inv->analysis->options, inv->asked);
	free(inv->args);
	free(inv->asked);
	string_list_free(&inv->words);
	string_list_free(&inv->paths);
	*inv = (struct invocation){0};
}

/* Whether a skill makes trees is known when it is known which it is. */
bool invocation_may_be_tree(const struct invocation *inv)
{
	return (inv->spec && inv->spec->may_be_tree) || (inv->analysis && inv->analysis->is_tree);
}

struct option_parts invocation_parts(struct invocation *inv)
{
	const struct command *c = inv->spec;
	const unsigned common = c ? c->common : COMMON_TRACE | COMMON_OUTPUT;
	struct option_parts p = {0};

	parts_add(&p, c ? c->options : NULL, inv->args);
	parts_add(&p, inv->analysis ? inv->analysis->options : NULL, inv->asked);
	if (common & COMMON_OUTPUT)
		parts_add(&p, invocation_may_be_tree(inv) ? &tree_output_options : &output_options,
			  &inv->output);
	if (common & COMMON_FILE)
		parts_add(&p, &file_options, &inv->output);
	if (common & COMMON_COLOUR)
		parts_add(&p, &colour_options, &inv->output);
	if (common & COMMON_TRACE)
		parts_add(&p, &input_options, &inv->input);
	parts_add(&p, &help_options, &inv->help);
	return p;
}

/* A part of what was asked, of the analysis or of the command. */
static void *find_part(struct invocation *inv, const struct option_group *wanted)
{
	void *part = inv->asked ? args_part(inv->analysis->options, inv->asked, wanted) : NULL;

	return part || !inv->args ? part : args_part(inv->spec->options, inv->args, wanted);
}

struct row_choice *invocation_rows(struct invocation *inv)
{
	return find_part(inv, &limit_options);
}

/* What the file's name says, of a command that has formats. */
static const struct presenter *presenter_by_ending(const struct invocation *inv)
{
	const unsigned common = inv->spec ? inv->spec->common : COMMON_OUTPUT;
	const struct presenter *how = inv->output.path && (common & COMMON_OUTPUT)
					      ? presenter_of_file(inv->output.path)
					      : NULL;

	if (how && how->trees_only && !(inv->analysis && inv->analysis->is_tree))
		return NULL;
	return how;
}

const char *invocation_format(const struct invocation *inv)
{
	const struct presenter *how = inv->output.format ? NULL : presenter_by_ending(inv);

	return inv->output.format ? inv->output.format : how ? how->name : "text";
}

void invocation_default_limit(struct invocation *inv)
{
	const char *format = invocation_format(inv);
	bool human = strcmp(format, "text") == 0 || strcmp(format, "markdown") == 0;
	struct row_choice *rows = invocation_rows(inv);
	const struct analysis *a = inv->analysis;

	if (!rows || rows->has_limit || !human || (a && a->all_rows))
		return;
	rows->limit = a && a->human_rows ? a->human_rows : DEFAULT_ROWS;
}

static struct report_trace describe(const struct trace *t)
{
	return (struct report_trace){
		.path = t->path,
		.tool = t->meta.tool,
		.schema = t->meta.schema,
		.has_span = t->meta.has_span,
		.span_ns = t->meta.span_ns,
	};
}

/* How far two of them can be compared. */
static void tell_clock(struct report *r, const struct traces *t, const struct trace *joined)
{
	SCOPED_BUF doubt = {0};

	if (t->clock == CLOCK_MEETINGS) {
		units_add_ns(&doubt, joined->clock_doubt_ns);
		report_note(r,
			    "%zu traces on one clock, by their collectives: times of two of them "
			    "are right within %s",
			    t->count, doubt.s);
	} else if (t->clock == CLOCK_UTC) {
		report_note(r,
			    "%zu traces on one clock, by their UTC: how right it is, nothing tells",
			    t->count);
	} else {
		report_warning(r,
			       "%zu traces that do not say when they began, or were not captured "
			       "at the same time: each begins at 0",
			       t->count);
	}
}

/* Several traces as one: the answer says of which it is. */
static int open_traces(struct invocation *inv, const char *comm, struct err *e)
{
	struct report *r = &inv->report;

	inv->captures = mem_zalloc(1, sizeof(*inv->captures));
	if (traces_open(inv->captures, inv->paths.all, inv->paths.count, &inv->input, comm, e) <
		    0 ||
	    trace_clocks_set(inv->captures, true, e) < 0 ||
	    traces_join(inv->captures, &inv->trace, e) < 0)
		return -1;
	r->traces = arena_alloc(&r->arena, inv->captures->count, sizeof(*r->traces));
	for (size_t i = 0; i < inv->captures->count; i++)
		r->traces[r->trace_count++] = describe(inv->captures->all[i].trace);
	tell_clock(r, inv->captures, inv->trace);
	return comm ? trace_add_comm(inv->trace, comm, e) : 0;
}

/* Of several traces: what of each the answer is about, on its own clock. */
static void tell_windows(struct report *r, const struct traces *t)
{
	const struct span shared = {r->window_start_ns, r->window_end_ns};

	for (size_t i = 0; r->has_window && i < t->count; i++) {
		const struct span own = capture_own_span(&t->all[i], shared);

		r->traces[i].has_window = own.start_ns <= own.end_ns;
		r->traces[i].window_start_ns = own.start_ns;
		r->traces[i].window_end_ns = own.end_ns;
	}
}

int invocation_settle_trace(struct invocation *inv, struct err *e)
{
	if (!inv->trace_path || !input_is_folder(inv->trace_path))
		return 0;
	return run_traces_find_one(inv->trace_path, &inv->report.arena, &inv->trace_path, e);
}

/* A run's folder stands for what was captured in it: of several ranks for all of them. */
static int settle_paths(struct invocation *inv, struct err *e)
{
	struct string_list named = inv->paths;
	int result = 0;

	if (!named.count || (inv->spec && !inv->spec->has_traces))
		return invocation_settle_trace(inv, e);
	inv->paths = (struct string_list){0};
	for (size_t i = 0; i < named.count && result == 0; i++) {
		if (input_is_folder(named.all[i]))
			result = run_traces_find(named.all[i], &inv->report.arena, &inv->paths, e);
		else
			string_list_add(&inv->paths, named.all[i]);
	}
	string_list_free(&named);
	if (result == 0)
		inv->trace_path = inv->paths.all[0];
	return result;
}

int invocation_settle_words(struct invocation *inv, size_t first, struct err *e)
{
	const size_t first_after = inv->words.count - inv->words_after;
	struct string_list named = inv->words;
	int result = 0;

	inv->words = (struct string_list){0};
	inv->words_after = 0;
	for (size_t i = 0; i < named.count && result == 0; i++) {
		const size_t before = inv->words.count;

		if (i >= first && input_is_folder(named.all[i]))
			result = run_traces_find(named.all[i], &inv->report.arena, &inv->words, e);
		else
			string_list_add(&inv->words, named.all[i]);
		if (i >= first_after)
			inv->words_after += inv->words.count - before;
	}
	string_list_free(&named);
	return result;
}

int invocation_open_trace(struct invocation *inv, struct err *e)
{
	const struct comm_args *comm = find_part(inv, &comm_options);
	const struct presenter *how = presenter_find(invocation_format(inv));

	if (!inv->trace_path) {
		err_set(e, ERR_USAGE, "%s needs a trace", inv->command);
		return err_hint(e, "gpuwhy %s trace.sqlite", inv->command);
	}
	inv->report.has_trace = true;
	inv->report.trees_only = how && how->trees_only;
	inv->report.trace.path = inv->trace_path;
	if (settle_paths(inv, e) < 0)
		return -1;
	if (inv->paths.count > 1) {
		if (open_traces(inv, comm ? comm->comm : NULL, e) < 0)
			return -1;
	} else if (capture_open(&inv->trace, inv->trace_path, &inv->input, comm ? comm->comm : NULL,
				e) < 0) {
		return -1;
	}
	inv->report.trace = describe(inv->trace);
	return 0;
}

int invocation_settle_scope(struct invocation *inv, struct scope *s, struct err *e)
{
	if (filters_check(inv->trace, s, e) < 0)
		return -1;
	if (s->has_iteration)
		return iteration_window(inv->trace, s, false, &inv->report, e);
	return s->span ? default_window(inv->trace, s, s->span, &inv->report, e) : 0;
}

int invocation_present(struct invocation *inv, struct err *e)
{
	if (inv->captures)
		tell_windows(&inv->report, inv->captures);
	return output_report(&inv->report, presenter_find(invocation_format(inv)), inv->output.path,
			     inv->output.colour, e);
}

int invocation_answer(struct invocation *inv, struct err *e)
{
	invocation_default_limit(inv);
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(inv->analysis, inv->trace, inv->asked, &inv->report, e) < 0)
		return -1;
	return invocation_present(inv, e);
}

int invocation_check_format(const struct invocation *inv, bool trees, struct err *e)
{
	const struct presenter *how =
		inv->output.format ? presenter_find(inv->output.format) : NULL;

	if (inv->output.unknown_format) {
		err_set(e, ERR_USAGE, "--format takes text, markdown, json, csv%s, not '%s'",
			trees ? ", html or folded" : " or html", inv->output.unknown_format);
		return inv->spec && inv->spec->instead ? err_hint(e, "%s", inv->spec->instead) : -1;
	}
	if (!how || !how->trees_only || trees)
		return 0;
	return err_set(e, ERR_USAGE,
		       "--format %s is for trees, but '%s' does not print one: use gpuwhy tree",
		       how->name, inv->command);
}

int invocation_check_program(const struct invocation *inv, struct err *e)
{
	const char *program = inv->words.all[0];

	if (program[0] != '-')
		return 0;
	err_set(e, ERR_USAGE, "the command begins with '%s', which is not a program", program);
	return err_hint(e, "options of gpuwhy come before --, the command after it");
}
