/* Which of several settings does best? */
#include "base/mem.h"
#include "capture/matrix.h"
#include "cli/output.h"
#include "cli/say.h"
#include "commands/runs/profile.h"

#include <stdio.h>
#include <stdlib.h>

/* Behind one column for each name. */
static const struct column measures[] = {
	{"wall_ns", "Wall time", UNIT_NS, 0, NULL, SHOW},
	{"gpu_busy_pct", "GPU busy %", UNIT_PERCENT, 0, NULL, SHOW},
	{"exit_code", "Exit", UNIT_ID, 0, NULL, SHOW},
	{"best", "Best", UNIT_NAME, 0, NULL, SHOW},
	{"finding", "Top finding", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"run", "Run", UNIT_NAME, 0, "run:", SHOW_PREFERRED},
};

struct comparison {
	const struct matrix *matrix;
	const char **labels; /* of all combinations */
	struct compared_run *runs;
	size_t count; /* that were begun */
	bool interrupted;
	int gave_up; /* the signal that ended it after a program had ended, or 0 */
	struct facts machine;
	struct gpu_state *first; /* the state of each GPU before the first run */
	size_t gpu_count;
	const char *differs; /* in which settings that of a later run is another; or NULL */
	struct arena arena;
};

/* The quickest of those that ended well; -1: none did. */
static long best_of(const struct comparison *c)
{
	long best = -1;

	for (size_t i = 0; i < c->count; i++) {
		if (!c->runs[i].failed &&
		    (best < 0 || c->runs[i].elapsed_s < c->runs[best].elapsed_s))
			best = (long)i;
	}
	return best;
}

static void add_row(struct rows *rows, const struct comparison *c, size_t i, bool best)
{
	const struct compared_run *run = &c->runs[i];

	for (size_t k = 0; k < c->matrix->count; k++)
		rows_add(rows, cell_text(run->settings[k].shown));
	rows_add(rows, run->has_ended ? cell_int((int64_t)(run->elapsed_s * 1e9)) : cell_null());
	rows_add(rows, run->has_busy ? cell_real(run->busy_pct) : cell_null());
	rows_add(rows, run->has_ended ? cell_int(run->exit_code) : cell_null());
	rows_add(rows, best ? cell_text("best") : run->failed ? cell_text("failed") : cell_null());
	rows_add(rows, run->finding ? cell_text(run->finding) : cell_null());
	rows_add(rows, run->id ? cell_text(run->id) : cell_null());
}

static void compare(const struct comparison *c, struct report *r)
{
	const size_t count = c->matrix->count + ARRAY_LEN(measures);
	struct column *columns = arena_zalloc(&r->arena, count, sizeof(*columns));
	const long best = best_of(c);
	struct rows *rows;

	for (size_t k = 0; k < c->matrix->count; k++)
		columns[k] = (struct column){.key = c->matrix->axes[k].name,
					     .title = c->matrix->axes[k].name,
					     .unit = UNIT_NAME,
					     .show = SHOW};
	memcpy(columns + c->matrix->count, measures, sizeof(measures));
	if (c->count == 1)
		report_heading(r, "One run, nothing to compare it with");
	else
		report_heading(r, "%zu runs side by side", c->count);
	report_note(r, "Wall time is the whole run under the profiler, including start-up; GPU "
		       "busy and the top finding are for the window that each report names.");
	rows = report_new_rows(r, "comparison", NULL, columns, count);
	for (size_t i = 0; i < c->count; i++)
		add_row(rows, c, i, (long)i == best);
	if (c->differs)
		report_warning(r, "the GPUs were not set alike in all runs: %s", c->differs);
	if (c->count < c->matrix->runs)
		report_warning(r, "interrupted: %zu of %zu combinations were run", c->count,
			       c->matrix->runs);
}

static int write_as(const struct report *r, const struct run_folder *f, const char *format,
		    struct err *e)
{
	const struct presenter *how = presenter_find(format);
	struct buf name = {0};
	char *path;
	int result;

	buf_addf(&name, "comparison%s", how->extension);
	path = run_folder_file(f, name.s);
	result = output_report(r, how, path, COLOUR_NEVER, e);
	free(path);
	buf_free(&name);
	return result;
}

/* What was set otherwise meanwhile may be what makes the difference. */
static void note_gpus(struct comparison *c, const struct facts *f)
{
	if (!c->first) {
		c->first = arena_zalloc(&c->arena, f->gpu_count, sizeof(*c->first));
		c->gpu_count = f->gpu_count;
		for (size_t i = 0; i < f->gpu_count; i++)
			c->first[i] = gpu_state_copy(&f->gpus[i].state, &c->arena);
	}
	for (size_t i = 0; i < c->gpu_count && i < f->gpu_count && !c->differs; i++) {
		SCOPED_BUF b = {0};

		gpu_state_add_differences(&b, &c->first[i], &f->gpus[i].state);
		if (b.len)
			c->differs = arena_printf(&c->arena, "GPU %zu: %s", i, b.s);
	}
}

static void note_run(struct comparison *c, struct compared_run *run, const struct run_record *r,
		     bool explained)
{
	run->id = r->id ? arena_strdup(&c->arena, r->id) : NULL;
	run->failed = !explained || !r->has_ended || r->exit_code || r->timed_out;
	run->has_ended = r->has_ended;
	run->exit_code = r->exit_code;
	run->elapsed_s = r->elapsed_s;
	run->has_busy = r->has_busy;
	run->busy_pct = r->busy_pct;
	run->finding = r->finding ? arena_strdup(&c->arena, r->finding) : NULL;
	note_gpus(c, &r->facts);
	c->gave_up = r->gave_up;
	c->interrupted = (r->interrupted && !r->timed_out) || r->gave_up;
}

/* The job with one combination's values; words live in the comparison's arena. */
static struct profile_job job_of(struct comparison *c, const struct profile_job *job, size_t i,
				 struct string_list *words)
{
	struct setting *settings = arena_zalloc(&c->arena, c->matrix->count, sizeof(*settings));
	struct profile_job one = *job;

	matrix_settings(c->matrix, i, settings);
	one.label = c->labels[i];
	matrix_command(settings, c->matrix->count, job->argv, job->argc, &c->arena, words);
	one.argv = words->all;
	one.argc = words->count;
	one.settings = settings;
	one.setting_count = c->matrix->count;
	one.repeated = i > 0;
	return one;
}

static void run_one(struct invocation *inv, const struct profile_job *job, struct comparison *c,
		    size_t i)
{
	struct string_list words = {0};
	struct profile_job one = job_of(c, job, i, &words);
	struct run_record r;
	struct err e;
	bool explained;

	fprintf(stderr, "gpuwhy: run %zu of %zu: %s\n", i + 1, c->matrix->runs, one.label);
	explained = profile_run(inv, &one, &r, &e) == 0;
	if (!explained)
		say_error(&e);
	c->runs[c->count].settings = one.settings;
	note_run(c, &c->runs[c->count++], &r, explained);
	record_free(&r);
	string_list_free(&words);
}

static int print_all(const struct invocation *inv, const struct profile_job *job,
		     struct comparison *c, struct err *e)
{
	int result = 0;

	for (size_t i = 0; i < c->matrix->runs && result == 0; i++) {
		struct string_list words = {0};
		struct profile_job one = job_of(c, job, i, &words);

		result = profile_print(inv, &one, e);
		string_list_free(&words);
	}
	return result;
}

static int finish(struct invocation *inv, struct comparison *c, const struct run_folder *f,
		  struct err *e)
{
	struct report *r = &inv->report;
	int result;

	compare(c, r);
	result = write_as(r, f, "json", e);
	if (result == 0)
		result = write_as(r, f, "csv", e);
	profile_show(inv, r, NULL);
	for (size_t i = 0; i < c->count; i++) {
		if (c->runs[i].failed)
			inv->exit_code = ERR_GATE;
	}
	if (c->count < c->matrix->runs)
		inv->exit_code = ERR_GATE;
	if (c->gave_up)
		inv->exit_code = 128 + c->gave_up;
	return result;
}

static int run_all(struct invocation *inv, const struct profile_job *job, struct comparison *c,
		   struct err *e)
{
	struct matrix_record record = {
		.label = job->label,
		.argv = job->argv,
		.argc = job->argc,
		.started = time(NULL),
		.started_unix_s = run_now_s(),
		.runs = c->runs,
		.setting_count = c->matrix->count,
	};
	struct profile_job one = *job;
	struct run_folder folder;
	int result = run_folder_make(&folder, job->root, job->label ? job->label : "matrix",
				     record.started, e);

	if (result == 0) {
		one.matrix = record.id = folder.id;
		result = matrix_record_write(&record, &folder, e);
		if (result < 0)
			run_folder_discard(&folder);
	}
	if (result == 0) {
		/* Asking takes seconds, and the answers stay what they are. */
		facts_ask_machine(&c->machine, &c->arena, job->nsys);
		one.machine = &c->machine;
	}
	for (size_t i = 0; i < c->matrix->runs && !c->interrupted && result == 0; i++)
		run_one(inv, &one, c, i);
	if (result == 0) {
		record.run_count = c->count;
		record.done = true;
		record.interrupted = c->count < c->matrix->runs;
		result = matrix_record_write(&record, &folder, e);
	}
	if (result == 0)
		result = finish(inv, c, &folder, e);
	run_folder_close(&folder);
	return result;
}

int profile_matrix(struct invocation *inv, const struct profile_job *job, struct err *e)
{
	const struct string_list *axes = &profile_args(inv)->matrix;
	struct matrix m;
	struct comparison c = {.matrix = &m};
	char *program = NULL;
	int result = matrix_read(&m, axes->all, axes->count, job->argv, job->argc, e);

	/* What is the same in all combinations is looked at before the first. */
	if (result == 0 && !strchr(job->argv[0], '{') && !profile_args(inv)->dry_run)
		result = profile_find_program(profile_args(inv), job, &program, e);
	free(program);
	if (result == 0) {
		c.runs = mem_zalloc(m.runs, sizeof(*c.runs));
		c.labels = arena_zalloc(&c.arena, m.runs, sizeof(*c.labels));
		matrix_labels(&m, job->label, &c.arena, c.labels);
		result = profile_args(inv)->dry_run ? print_all(inv, job, &c, e)
						    : run_all(inv, job, &c, e);
		if (result < 0)
			profile_explain_disk(profile_args(inv), NULL, NULL, e);
	}
	free(c.runs);
	arena_free(&c.arena);
	matrix_free(&m);
	return result;
}
