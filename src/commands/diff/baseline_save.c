/* Which runs are kept, and may they be? */
#include "base/file.h"
#include "baseline/folder.h"
#include "cli/output.h"
#include "commands/diff/baseline_args.h"
#include "commands/diff/even_steps.h"
#include "commands/diff/same_run.h"
#include "diff/diff.h"
#include "text/date.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* Libraries choose a few kernels anew in each run: more than that is a choice of somebody. */
static const double other_program = 0.01;

int baseline_read_runs(const struct baseline_request *q, const struct baseline *kept,
		       struct account_list *ret, struct err *e)
{
	const struct run_args *a = &q->args->gate.run;
	struct told_side sides[] = {
		{.list = ret, .paths = q->paths, .count = q->count},
		{.kept = kept ? kept->runs : NULL, .kept_count = kept ? kept->run_count : 0}};

	if (account_list_read(ret, q->paths, q->count, a, NULL, &q->inv->input, e) < 0 ||
	    even_steps(sides, ARRAY_LEN(sides), a, &q->inv->input, e) < 0)
		return -1;
	/* What does not say when it was captured is as old as today. */
	for (size_t i = 0; i < ret->count; i++) {
		struct account *a = &ret->all[i];

		if (!date_is_day(a->facts.date))
			a->facts.date = arena_strdup(&a->arena, q->today);
	}
	baseline_order_runs(ret->refs, ret->count);
	account_list_head(&q->inv->report, ret, "after", "captures");
	return 0;
}

int baseline_check_alike(const struct account *const *runs, size_t count, struct err *e)
{
	for (size_t i = 1; i < count; i++) {
		const struct sides lists = {
			.of = {{.runs = runs, .run_count = 1}, {.runs = &runs[i], .run_count = 1}}};
		struct arena arena = {0};
		/* Of other kernels `save` warns, and pauses are no step's. */
		const struct likeness like = {.common_kernels = NAN, .tolerance = INFINITY};
		struct hindrances h;

		hindrances_find(&h, &lists, &like, &arena);
		if (h.count) {
			err_set(e, ERR_INPUT, "'%s' is not like '%s': %s: %s, not %s",
				runs[i]->name, runs[0]->name, h.all[0].what,
				hindrance_value(&h.all[0], AFTER),
				hindrance_value(&h.all[0], BEFORE));
			err_hint(e,
				 "runs of one baseline differ in nothing but chance: save others "
				 "under another name");
		}
		arena_free(&arena);
		if (h.count)
			return -1;
	}
	return runs_check_apart(runs, count, e);
}

/* What a link leads to is none of a project's: somebody else may have put it there. */
static int check_plain(const char *path, struct err *e)
{
	struct stat st;

	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
		return 0;
	return err_set(e, ERR_INPUT, "'%s' is no plain file: it is not written to", path);
}

/* What could not be read again is not written over what can. */
static int check_readable(const struct buf *text, const char *path, struct err *e)
{
	struct kept_baseline again;
	const int result = baseline_read_text(&again, buf_str(text), path, e);

	baseline_free(&again);
	return result < 0 ? err_wrap(e, "this would be no baseline") : 0;
}

/* No option says where baselines are: who may not write there has to be let. */
static int cannot_put(struct err *e)
{
	return err_hint(e, "baselines are kept in '" BASELINE_FOLDER "' of the folder that gpuwhy "
			   "is called in: it has to take files from you");
}

static int write_text(const struct buf *text, const char *path, struct err *e)
{
	struct output out;
	int result;

	if (output_open(&out, path, e) < 0)
		return cannot_put(e);
	result = out.sink.write(out.sink.ctx, text->s, text->len);
	if (result < 0)
		err_set_errno(e, "cannot write '%s'", path);
	return output_close(&out, result == 0, e);
}

int baseline_put(const struct baseline_request *q, const struct baseline *b,
		 const struct baseline_version *known, struct err *e)
{
	SCOPED char *path = baseline_path(q->name);
	SCOPED_BUF text = {0};

	if (b->run_count > BASELINE_RUNS_MAX)
		return err_set(e, ERR_INPUT, "a baseline has at most %d runs", BASELINE_RUNS_MAX);
	baseline_write(&text, b);
	if (text.len > BASELINE_LARGEST_BYTES) {
		err_set(e, ERR_INPUT, "the baseline would be too large: %zu MB", text.len >> 20);
		return err_hint(e, "fewer runs, or fewer steps with --trim FROM TO");
	}
	if (check_readable(&text, path, e) < 0)
		return -1;
	if (check_plain(path, e) < 0 || baseline_check_version(path, known, e) < 0 ||
	    write_text(&text, path, e) < 0)
		return -1;
	report_note(&q->inv->report, "Wrote %s: %zu run%s, %zu kB.", path, b->run_count,
		    b->run_count == 1 ? "" : "s", (text.len + 999) / 1000);
	if (b->run_count < 2)
		report_warning(&q->inv->report,
			       "one run says nothing of how runs differ: a gate can tell little; "
			       "capture at least two, better four");
	return 0;
}

/* Only one of ours makes room, and only where somebody says so. */
static int check_free(const struct baseline_request *q, struct err *e)
{
	SCOPED char *path = baseline_path(q->name);
	struct kept_baseline kept;
	int result;

	if (access(path, F_OK) < 0 && errno == ENOENT)
		return 0;
	if (!q->args->force) {
		err_set(e, ERR_USAGE, "there is a baseline '%s' already: '%s'", q->name, path);
		return err_hint(e, "gpuwhy baseline update adds runs to it, save --force replaces "
				   "it");
	}
	result = baseline_read(&kept, path, e);
	baseline_free(&kept);
	return result;
}

double baseline_other_launches(const struct account *const *first, const struct account *const *run)
{
	const struct diff_options o = {.compare = {.seed = COMPARE_SEED}};
	struct diff d;
	double share;

	diff_make(&d, first, 1, run, 1, &o);
	share = diff_other_launches(&d);
	diff_free(&d);
	return share >= other_program ? share : 0;
}

static void warn_of_others(struct report *r, const struct account *const *runs, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const double share = baseline_other_launches(runs, &runs[i]);

		if (share > 0)
			report_warning(r,
				       "'%s' launches other kernels than '%s' (%.0f %% of GPU "
				       "ops came, went or were replaced): is it the same program?",
				       runs[i]->name, runs[0]->name, 100 * share);
	}
}

static int make_folder(struct err *e)
{
	if (file_make_folders(BASELINE_FOLDER, 0777) == 0)
		return 0;
	err_set_errno(e, "cannot make the folder '" BASELINE_FOLDER "'");
	return cannot_put(e);
}

/* Who was at it while the runs were read has written another version. */
static int put_alone(const struct baseline_request *q, const struct baseline *b,
		     const struct baseline_version *known, struct err *e)
{
	const int lock = baseline_lock();
	const int result = baseline_put(q, b, known, e);

	baseline_unlock(lock);
	return result;
}

int baseline_run_save(const struct baseline_request *q, struct err *e)
{
	SCOPED char *path = baseline_path(q->name);
	const struct baseline_version known = baseline_version_of(path);
	struct account_list runs = {0};
	SCOPED_BUF options = {0};
	struct baseline b;
	int result;

	kept_runs_add_options(&options, &q->args->gate.run);
	result = check_free(q, e);
	if (result == 0)
		result = baseline_read_runs(q, NULL, &runs, e);
	if (result == 0)
		result = baseline_check_alike(runs.refs, runs.count, e);
	if (result == 0) {
		b = (struct baseline){.options = options.len ? options.s : "",
				      .runs = runs.refs,
				      .run_count = runs.count};
		result = make_folder(e) < 0 ? -1 : put_alone(q, &b, &known, e);
	}
	if (result == 0) {
		warn_of_others(&q->inv->report, runs.refs, runs.count);
		baseline_add_runs(&q->inv->report, &b);
		result = invocation_present(q->inv, e);
	}
	account_list_free(&runs);
	return result;
}

int baseline_run_check(const struct baseline_request *q, struct err *e)
{
	return gate_run(q->inv, &q->args->gate,
			&(struct gate_question){q->name, NULL, q->paths, q->count}, e);
}
