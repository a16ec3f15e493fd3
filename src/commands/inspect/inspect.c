/* gpuwhy inspect: Nsight Compute on the kernels that matter. */
#include "commands/inspect/inspect.h"

#include "base/mem.h"
#include "cli/say.h"
#include "input/interrupt.h"
#include "input/program.h"

#include <stdlib.h>

static int check_asked(const struct invocation *inv, struct err *e)
{
	const struct inspect_args *o = inspect_args(inv);

	if (!inv->words.count) {
		err_set(e, ERR_USAGE,
			"inspect needs the command that made the trace, to run it again");
		return err_hint(e, "gpuwhy inspect trace.sqlite -- python train.py");
	}
	if (invocation_check_program(inv, e) < 0)
		return -1;
	if (o->range && o->phase)
		return err_set(e, ERR_USAGE,
			       "--range and --phase both select where to look: give one");
	return 0;
}

struct kernel_question inspect_question(const struct inspection *x)
{
	const struct inspect_args *o = inspect_args(x->inv);

	return (struct kernel_question){
		.top = (size_t)o->top,
		.launches = o->launches,
		.range = o->range,
		.phase = o->phase,
		.function = {o->id.name, o->id.name_len},
		.function_is_regex = o->id.regex,
		.each = o->each,
		.p = &inspect_args(x->inv)->scope,
	};
}

const char *inspect_ranges_asked(const struct inspection *x)
{
	return inspect_args(x->inv)->range ? "such a range" : "a range of any phase";
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
		chosen = launches_outside_find(&x->outside, x->inv->trace, q->p, q->range, e);
		return chosen < 0 && e->code != ERR_INPUT ? -1 : 0;
	}
	if (e->code != ERR_INPUT || !e->hint[0] ||
	    launches_outside_find(&x->outside, x->inv->trace, q->p, q->range, &ignored) < 0 ||
	    !launches_outside_matters(&x->outside))
		return -1;
	buf_addf(&b, "%s; ", e->hint);
	launches_outside_add(&b, &x->outside, inspect_ranges_asked(x), "not counted");
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
	if (invocation_settle_scope(inv, &inspect_args(inv)->scope, e) < 0)
		return -1;
	return find_elsewhere(x, &q, kernel_choice_make(&x->choice, inv->trace, &q, e), e);
}

/* What is only printed is run elsewhere, where this machine's paths mean nothing. */
static int find_ncu(struct inspection *x, struct err *e)
{
	const struct inspect_args *o = inspect_args(x->inv);
	char *found;

	x->ncu = o->ncu ? o->ncu : "ncu";
	if (o->dry_run)
		return 0;
	if (o->ncu)
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

static int inspect(struct inspection *x, struct err *e)
{
	const struct inspect_args *o = inspect_args(x->inv);
	int result;

	x->settings = o->settings;
	x->settings.extra = o->ncu_args.all;
	x->settings.extra_count = o->ncu_args.count;
	x->settings.sections = o->sections.all;
	x->settings.section_count = o->sections.count;
	if (check_asked(x->inv, e) < 0 || inspect_check_section_names(x, e) < 0)
		return -1;
	if (!o->dry_run)
		interrupt_outlive_readers();
	if (choose(x, e) < 0 || find_ncu(x, e) < 0)
		return -1;
	inspect_plan(x);
	if (o->dry_run) {
		if (inspect_folder_name(x, e) < 0)
			return -1;
		inspect_report_choice(x, &x->inv->report);
		inspect_report_commands(x, &x->inv->report);
		return invocation_present(x->inv, e);
	}
	if (inspect_check_sections(x, e) < 0)
		return -1;
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

/* A word that ncu knows, and that measures kernels. */
static int set_mode(void *args, const char *name, const char *value, struct err *e)
{
	struct ncu_settings *s = &((struct inspect_args *)args)->settings;
	const struct {
		const char *option, *usual, *other, **to;
	} modes[] = {
		{"clock-control", "base", "none", &s->clock_control},
		{"cache-control", "all", "none", &s->cache_control},
		{"replay-mode", "kernel", "application", &s->replay_mode},
	};
	size_t i = 0;
	struct buf wanted = {0};

	while (i + 1 < ARRAY_LEN(modes) && strcmp(modes[i].option, name) != 0)
		i++;
	*modes[i].to = value;
	if (strcmp(value, modes[i].usual) == 0 || strcmp(value, modes[i].other) == 0)
		return 0;
	buf_addf(&wanted, "%s or %s", modes[i].usual, modes[i].other);
	option_bad_value(name, value, wanted.s, e);
	buf_free(&wanted);
	return -1;
}

static int set_kernel_id(void *args, const char *name, const char *value, struct err *e)
{
	(void)name;
	return kernel_id_read(&((struct inspect_args *)args)->id, value, e);
}

#define OPT_OF_KERNELS(n, member, m, first, w, h)                                           \
	{                                                                                   \
		.type = OPTION_COUNT, .name = (n), .value = "N",                            \
		OPT_MEMBER(struct inspect_args, member, uint64_t), .least = 1, .most = (m), \
		.initial = (first), .wanted = (w), .help = (h)                              \
	}
#define OPT_SOME(n, v, member, h) OPT_TEXT(n, struct inspect_args, member, v, "a value", h)

static const struct option_group inspect_options = OPTIONS(
	struct inspect_args,
	OPT_OF_KERNELS("top", top, 100, "5", "a number of kernels",
		       "the N kernels with the most GPU time"),
	OPT_OF_KERNELS("launches", launches, 1000, "1", "a number of launches",
		       "launches per kernel, starting at a middle one"),
	OPT_FLAG("each", struct inspect_args, each, "always run the program once per kernel"),
	OPT_SOME("range", "NAME", range, "only kernels launched inside a range of this name"),
	OPT_SOME("phase", "NAME", phase, "only kernels of this phase: prefill, decode, …"),
	OPT_CUSTOM("kernel-id", "ID", set_kernel_id,
		   "only these, as ncu names them: CONTEXT:STREAM:[regex:]NAME:LAUNCH, parts may "
		   "be empty"),
	OPT_SOME("set", "NAME", settings.set, "ncu's section set (default: roofline)"),
	OPT_LIST("section", struct inspect_args, sections, "NAME", "a section", ACCESS_NONE,
		 "additional section of ncu, such as SourceCounters; repeatable"),
	OPT_SOME("metrics", "LIST", settings.metrics,
		 "additional metrics; those the GPU lacks are skipped"),
	OPT_CUSTOM("clock-control", "base|none", set_mode,
		   "whether ncu locks the clocks (default: base)"),
	OPT_CUSTOM("cache-control", "all|none", set_mode,
		   "whether ncu flushes caches before each pass (default: all)"),
	OPT_CUSTOM("replay-mode", "kernel|application", set_mode,
		   "what each pass repeats: the kernel, or the whole program"),
	OPT_LIST("ncu-arg", struct inspect_args, ncu_args, "X", "an argument of ncu", ACCESS_RUNS,
		 "additional argument for ncu; repeatable"),
	OPT_FILE("ncu-path", struct inspect_args, ncu, "PATH", "a value", ACCESS_RUNS,
		 "the ncu to run"),
	OPT_FILE("out", struct inspect_args, out_dir, "DIR", "a folder's name", ACCESS_WRITES,
		 "new folder for the reports"),
	OPT_SECONDS("timeout", struct inspect_args, timeout_s, "S",
		    "stop the program after S seconds: SIGINT, then SIGTERM, then SIGKILL"),
	OPT_SECONDS("grace", struct inspect_args, grace_s, "S",
		    "seconds between these signals (default: 10)"),
	OPT_FLAG("dry-run", struct inspect_args, dry_run, "only show what would be done"),
	OPT_INCLUDE(struct inspect_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct inspect_args, scope, struct scope, phase_options),
	OPT_INCLUDE(struct inspect_args, comm, struct comm_args, comm_options));

const struct command command_inspect = {
	.name = "inspect",
	.operand = "TRACE -- COMMAND ARG…",
	.summary = "Nsight Compute on the top kernels: what bounds them, headroom",
	.detail = "Selects the kernels of TRACE with the most GPU time and, for each, a launch in "
		  "the middle of the warm steps. Then runs COMMAND, which produced the trace, "
		  "again under ncu, profiles only these launches and shows the results. Reports, "
		  "CSVs and logs are stored in DIR: the run's ncu/ folder if TRACE is from `gpuwhy "
		  "profile`, else ./ncu. If a selected launch is not found, the selection is "
		  "relaxed and a note reports it. --dry-run prints the commands to run elsewhere; "
		  "the first creates the folder.",
	.example = "gpuwhy inspect trace.sqlite --top 3 --dry-run -- python serve.py",
	.options = &inspect_options,
	.common = COMMON_TRACE | COMMON_OUTPUT,
	.has_words = true,
	.has_trace = true,
	.own_format = true,
	.run = run,
};
