/* gpuwhy inspect: Nsight Compute on the kernels that matter. */
#include "commands/inspect/inspect.h"

#include "analysis/filters.h"
#include "analysis/steps/iteration_window.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/ncu_input.h"
#include "input/interrupt.h"
#include "input/tool_find.h"

#include <stdlib.h>

enum { USUAL_TOP = 5, USUAL_LAUNCHES = 1 };

static int check(const struct options *o, struct err *e)
{
	if (!o->word_count) {
		err_set(e, ERR_USAGE,
			"inspect needs the command that made the trace, to run it again");
		return err_hint(e, "gpuwhy inspect trace.sqlite -- python train.py");
	}
	if (options_check_program(o, e) < 0)
		return -1;
	if (o->inspect.range && o->inspect.phase)
		return err_set(e, ERR_USAGE,
			       "--range and --phase both select where to look: give one");
	return 0;
}

struct kernel_question inspect_question(const struct inspection *x)
{
	const struct inspect_options *o = &x->inv->options.inspect;

	return (struct kernel_question){
		.top = o->top ? (size_t)o->top : USUAL_TOP,
		.launches = o->launches ? o->launches : USUAL_LAUNCHES,
		.range = o->range,
		.phase = o->phase,
		.each = o->each,
		.p = &x->inv->options.params,
	};
}

const char *inspect_ranges_asked(const struct inspection *x)
{
	return x->inv->options.inspect.range ? "such a range" : "a range of any phase";
}

/*
 * A range's own threads need not launch what it is about: where they launch nothing, that is why.
 * It is only a note: of a trace that lacks what it takes, kernels are looked at without it.
 */
static int find_elsewhere(struct inspection *x, const struct kernel_question *q, int chosen,
			  struct err *e)
{
	struct buf b = {0};
	struct err ignored;

	if (!q->range && !q->phase)
		return chosen;
	if (chosen == 0) {
		chosen = elsewhere_find(&x->elsewhere, x->inv->trace, q->p, q->range, e);
		return chosen < 0 && e->code != ERR_INPUT ? -1 : 0;
	}
	if (e->code != ERR_INPUT || !e->hint[0] ||
	    elsewhere_find(&x->elsewhere, x->inv->trace, q->p, q->range, &ignored) < 0 ||
	    !elsewhere_matters(&x->elsewhere))
		return -1;
	buf_addf(&b, "%s; ", e->hint);
	elsewhere_add(&b, &x->elsewhere, inspect_ranges_asked(x), "not counted");
	err_hint(e, "%s", b.s);
	buf_free(&b);
	return -1;
}

static int choose(struct inspection *x, struct err *e)
{
	struct invocation *inv = x->inv;
	const struct kernel_question q = inspect_question(x);

	if (invocation_open_trace(inv, e) < 0)
		return -1;
	report_heading(&inv->report, "Kernels to profile");
	if (filters_check(inv->trace, &inv->options.params, e) < 0 ||
	    (inv->options.params.has_iteration &&
	     iteration_window(inv->trace, &inv->options.params, false, &inv->report, e) < 0))
		return -1;
	return find_elsewhere(x, &q, kernel_choice_make(&x->choice, inv->trace, &q, e), e);
}

/* What is only printed is run elsewhere, where this machine's paths mean nothing. */
static int find_ncu(struct inspection *x, struct err *e)
{
	const struct options *o = &x->inv->options;
	char *found;

	x->ncu = o->inspect.ncu ? o->inspect.ncu : "ncu";
	if (o->capture.dry_run)
		return 0;
	if (o->inspect.ncu)
		return tool_check(&tool_ncu, x->ncu, "ncu-path", e);
	found = tool_find(&tool_ncu);
	if (found) {
		x->ncu = arena_strdup(&x->arena, found);
		free(found);
		return 0;
	}
	err_set(e, ERR_SYSTEM, "ncu, which measures single kernels, was not found");
	return err_hint(e,
			"install NVIDIA Nsight Compute (it is part of the CUDA toolkit), or name "
			"the program with --ncu-path PATH; --dry-run prints the commands to run "
			"where it is");
}

static int print(struct inspection *x, struct err *e)
{
	struct invocation *inv = x->inv;

	return output_report(&inv->report, presenter_find(invocation_format(inv)),
			     inv->options.output, inv->options.colour, e);
}

static int inspect(struct inspection *x, struct err *e)
{
	const struct options *o = &x->inv->options;
	int result;

	x->settings = o->inspect.settings;
	x->settings.extra = o->inspect.ncu_args.all;
	x->settings.extra_count = o->inspect.ncu_args.count;
	if (check(o, e) < 0)
		return -1;
	if (!o->capture.dry_run)
		interrupt_outlive_readers();
	if (choose(x, e) < 0 || find_ncu(x, e) < 0)
		return -1;
	inspect_plan(x);
	if (o->capture.dry_run) {
		if (inspect_folder_name(x, e) < 0)
			return -1;
		inspect_report_choice(x, &x->inv->report);
		inspect_report_commands(x, &x->inv->report);
		return print(x, e);
	}
	result = inspect_run(x, e);
	if (result == 0)
		result = inspect_run_again(x, e);
	inspect_guard_reports(x);
	if (result == 0) {
		/* Where they were looked at is known now. */
		inspect_report_choice(x, &x->inv->report);
		return inspect_show(x, e);
	}
	/* The program's own exit code is what a script wants to see. */
	if (!x->inv->exit_code)
		return -1;
	say_error(e);
	return 0;
}

static int run(struct invocation *inv, struct err *e)
{
	struct inspection x = {.inv = inv, .own = RUN_FOLDER_NONE, .run_lock = -1};
	int result = inspect(&x, e);

	inspect_folder_close(&x);
	/* Rows of the report point into these until it is printed. */
	kernel_choice_free(&x.choice);
	arena_free(&x.arena);
	return result;
}

const struct command command_inspect = {
	.name = "inspect",
	.operand = "TRACE -- COMMAND ARG…",
	.summary = "Nsight Compute on the kernels that matter: what bounds them, and by how much",
	.detail =
		"Chooses the kernels of TRACE that take the most time, and of each a launch in "
		"the\n"
		"middle of the steady part; runs COMMAND, which made the trace, again under ncu, "
		"and\n"
		"tells what it measured of just these. Reports, CSVs and logs are kept in DIR: "
		"the\n"
		"run's own ncu/ folder where TRACE is of `gpuwhy profile`, else ncu/ here. Where\n"
		"nothing is found as it was chosen, it is looked for less particularly, and said.\n"
		"--dry-run prints the commands, to run them elsewhere; the first makes a folder.",
	.example = "gpuwhy inspect trace.sqlite --top 3 --dry-run -- python serve.py",
	.accepts = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_PHASES | PARAM_COMM | OPT_TRACE |
		   OPT_OUTPUT | OPT_WORDS | OPT_INSPECT,
	.run = run,
};
