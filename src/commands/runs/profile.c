/* gpuwhy profile: starts nsys around a program, and explains what it recorded. */
#include "commands/runs/profile.h"

#include "base/mem.h"
#include "cli/output.h"
#include "cli/say.h"
#include "input/interrupt.h"
#include "input/program.h"

#include <stdlib.h>

#define USUAL_ROOT "runs"

static const struct column preset_columns[] = {
	{"preset", "Preset", UNIT_NAME, 0, "", SHOW},
	{"nsys", "nsys profile", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"environment", "Environment", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"expect", "What to expect", UNIT_NAME, 0, NULL, SHOW},
};

static struct cell joined(struct report *r, const char *const *words)
{
	struct buf b = {0};

	for (size_t i = 0; words[i]; i++)
		buf_addf(&b, "%s%s", i ? " " : "", words[i]);
	return report_take_cell(r, &b);
}

static int list_presets(struct invocation *inv, struct err *e)
{
	struct report *r = &inv->report;
	struct rows *rows;

	report_heading(r, "Presets for capturing");
	rows = REPORT_ROWS(r, "presets", NULL, preset_columns);
	rows->table.facts = true;
	for (size_t i = 0; launcher_at(i); i++) {
		const struct launcher *l = launcher_at(i);

		ROWS_ADD(rows, cell_text(l->name), joined(r, l->flags), joined(r, l->variables),
			 cell_text(l->expect));
	}
	return output_report(r, presenter_find("text"), NULL, inv->output.colour, e);
}

static int refuse_nsys(struct err *e)
{
	err_set(e, ERR_SYSTEM, "nsys, which records GPU activity, was not found");
	return err_hint(e,
			"install NVIDIA Nsight Systems (package nsight-systems-cli; the CUDA "
			"toolkit and Nsight Compute also include it, under "
			"/opt/nvidia/nsight-compute/*/host/), or give its path with --nsys PATH");
}

static int find_nsys(const struct invocation *inv, char **ret, bool *ret_elsewhere, struct err *e)
{
	const struct input_args *o = &inv->input;

	*ret = NULL;
	if (o->nsys && tool_check(&tool_nsys, o->nsys, o->nsys_option, e) < 0)
		return -1;
	*ret = o->nsys ? mem_strdup(o->nsys) : tool_find(&tool_nsys);
	/* What is only printed may be run elsewhere. */
	*ret_elsewhere = !*ret && profile_args(inv)->dry_run;
	if (*ret_elsewhere)
		*ret = mem_strdup(tool_nsys.name);
	return *ret ? 0 : refuse_nsys(e);
}

static int check_asked(struct invocation *inv, struct err *e)
{
	struct profile_args *c = inv->args;

	if (!inv->words.count) {
		err_set(e, ERR_USAGE, "profile needs a command to run");
		return err_hint(e, "gpuwhy profile -- python train.py");
	}
	if (invocation_check_program(inv, e) < 0)
		return -1;
	if (c->preset && launcher_find(c->preset, &c->request.launcher, e) < 0)
		return -1;
	if (c->marker && !c->request.steps)
		return err_set(e, ERR_USAGE,
			       "--marker selects the ranges that --steps A:B counts: give both");
	if (c->no_samples && c->sample_rate)
		return err_set(e, ERR_USAGE, "--no-samples and --sample-rate exclude each other");
	c->request.extra = c->nsys_args.all;
	c->request.extra_count = c->nsys_args.count;
	return nsys_request_check(&c->request, e);
}

/*
 * The program's own exit code, where it has one to tell, is what a script wants to see; where
 * nobody knows how it ended, that is no success.
 */
static int run_one(struct invocation *inv, const struct profile_job *job, struct err *e)
{
	struct run_record r = {0};
	int result = profile_run(inv, job, &r, e);

	if ((r.has_ended && r.exit_code) || r.gave_up) {
		if (result < 0)
			say_error(e);
		inv->exit_code = r.exit_code ? r.exit_code : 128 + r.gave_up;
		result = 0;
	} else if (result == 0 && !r.has_ended) {
		inv->exit_code = ERR_SYSTEM;
	}
	record_free(&r);
	return result;
}

static int run_jobs(struct invocation *inv, const struct profile_job *job, struct err *e)
{
	const struct profile_args *o = profile_args(inv);

	if (o->matrix.count)
		return profile_matrix(inv, job, e);
	return o->dry_run ? profile_print(inv, job, e) : run_one(inv, job, e);
}

static int run(struct invocation *inv, struct err *e)
{
	const struct profile_args *o = profile_args(inv);
	struct file_hashes hashes = {0};
	struct profile_job job = {
		.argv = inv->words.all,
		.argc = inv->words.count,
		.root = o->root ? o->root : USUAL_ROOT,
		.label = o->label,
		.hashes = &hashes,
	};
	bool elsewhere = false;
	char *nsys;
	int result;

	if (o->preset && strcmp(o->preset, "list") == 0)
		return list_presets(inv, e);
	if (check_asked(inv, e) < 0 || find_nsys(inv, &nsys, &elsewhere, e) < 0)
		return -1;
	job.nsys = nsys;
	if (!o->dry_run)
		interrupt_outlive_readers();
	result = profile_choose_samples(inv->args, &job, elsewhere, e);
	if (result == 0)
		result = run_jobs(inv, &job, e);
	free(nsys);
	file_hashes_free(&hashes);
	return result;
}

const struct command command_profile = {
	.name = "profile",
	.operand = "-- COMMAND ARG…",
	.summary = "run a program under nsys and analyse what it did",
	.detail = "COMMAND runs as usual: it keeps your terminal and receives Ctrl-C, after which "
		  "the report is still written. Exits with COMMAND's status; if that is 0, with "
		  "gpuwhy's own. Everything is stored in runs/ID/: nsys/ contains the nsys report, "
		  "its export and the output, report/ the analysis, manifest.json what is needed "
		  "to reproduce the run, without secrets. Processes that COMMAND leaves behind are "
		  "terminated. --range and --profiler-api never end the program; programs that "
		  "control their own capture find --steps in GPUWHY_STEPS. {run} in COMMAND, and "
		  "GPUWHY_RUN_DIR in its environment, are the run's folder. Python code is sampled "
		  "where nsys can. See docs/capture.md.",
	.example = "gpuwhy profile --dry-run --range 'step 3' -- python train.py",
	.options = &profile_options,
	.common = COMMON_TRACE | COMMON_COLOUR,
	.has_words = true,
	.runs_program = true,
	.own_format = true,
	.run = run,
};
