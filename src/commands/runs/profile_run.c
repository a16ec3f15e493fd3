/* What becomes of one command that is profiled? */
#include "base/file.h"
#include "base/mem.h"
#include "capture/nsys_output.h"
#include "capture/placeholders.h"
#include "cli/say.h"
#include "commands/runs/profile.h"
#include "input/process.h"
#include "text/shell_words.h"
#include "text/text.h"
#include "text/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LITTLE_BYTES = 1 << 20 };

bool profile_disk_is_full(const struct run_folder *f)
{
	return f->path && file_disk_lacks(f->path, LITTLE_BYTES);
}

static bool is_full(const struct run_folder *f, const struct err *e)
{
	if (strstr(e->message, "No space left") || strstr(e->message, "disk is full") ||
	    strstr(e->message, "quota exceeded"))
		return true;
	return f && profile_disk_is_full(f);
}

/* The command that makes room where this run is. */
static void add_prune(struct buf *b, const struct profile_args *o)
{
	buf_adds(b, "gpuwhy runs prune --keep N");
	if (!o->root)
		return;
	buf_adds(b, " --runs ");
	word_add_quoted(b, o->root);
}

static void add_rest(struct buf *b, const struct run_folder *f, const char *report)
{
	char *path;

	if (!report) {
		buf_adds(b, "; nsys keeps intermediate files in TMPDIR: set that too. --range, "
			    "--duration and fewer steps make smaller captures");
		return;
	}
	path = run_folder_file(f, report);
	buf_adds(b, "; then gpuwhy ");
	word_add_quoted(b, path);
	buf_adds(b, " explains what was recorded");
	free(path);
}

void profile_explain_disk(const struct profile_args *o, const struct run_folder *f,
			  const char *report, struct err *e)
{
	struct buf b = {0};

	if (strstr(e->message, "File too large")) {
		e->code = ERR_SYSTEM;
		err_hint(e, "the file exceeds a size limit: check ulimit -f and the limits of the "
			    "file system; or make a smaller capture (--range, --duration)");
	} else if (is_full(f, e)) {
		e->code = ERR_SYSTEM;
		buf_adds(&b, "the disk is full: make room (");
		add_prune(&b, o);
		buf_adds(&b, "), or use a folder on another disk with --runs DIR");
		add_rest(&b, f, report);
		err_hint(e, "%s", b.s);
	}
	buf_free(&b);
}

enum { MORE_BYTES = 64 << 10 }; /* than at the start a manifest has in the end, at most */

/* What is written before the program starts, so that it is known whatever happens. */
static int begin_record(struct running *u, char *program, struct err *e)
{
	const struct profile_args *o = profile_args(u->inv);
	struct run_record *r = u->record;
	char *cwd = getcwd(NULL, 0);

	r->cwd = arena_strdup(&r->arena, cwd ? cwd : ".");
	free(cwd);
	r->program = arena_strdup(&r->arena, program);
	r->label = u->job->label;
	r->preset = o->preset;
	r->matrix = u->job->matrix;
	r->settings = u->job->settings;
	r->setting_count = u->job->setting_count;
	r->argv = u->job->argv;
	r->argc = u->job->argc;
	r->nsys = u->job->nsys;
	r->seed = o->request.seed;
	if (inputs_read(&r->inputs, &r->arena, r->argv, r->argc, o->inputs.all, o->inputs.count,
			u->job->hashes, e) < 0)
		return -1;
	if (u->job->machine)
		r->facts = *u->job->machine;
	else
		facts_ask_machine(&r->facts, &r->arena, r->nsys);
	facts_ask_git(&r->facts, &r->arena, r->inputs.folder, u->job->root);
	return 0;
}

/* The command is what is run: with its folder in it, and in the manifest without secrets. */
static void name_folder(struct running *u)
{
	struct run_record *r = u->record;

	placeholders_fill_run(u->job->argv, u->job->argc, u->folder.path, &r->arena, &u->words);
	r->argv = u->words.all;
	r->argc = u->words.count;
	record_hide_secrets(r);
}

static int begin_folder(struct running *u, struct err *e)
{
	const struct nsys_request *q = &profile_args(u->inv)->request;
	struct run_record *r = u->record;
	char *output;
	int result;

	r->started = time(NULL);
	r->started_unix_s = run_now_s();
	if (run_folder_make(&u->folder, u->job->root, u->job->label, r->started, e) < 0)
		return -1;
	r->id = arena_strdup(&r->arena, u->folder.id);
	name_folder(u);
	if (run_folder_add(&u->folder, "nsys", e) < 0 || run_folder_add(&u->folder, "ncu", e) < 0)
		return -1;
	profile_guard_folder(u);
	output = run_folder_file(&u->folder, "nsys/run");
	result = nsys_request_argv(q, r->nsys, output, r->argv, r->argc, &r->arena, &u->argv, e);
	free(output);
	if (result < 0)
		return -1;
	nsys_request_env(q, u->folder.path, &r->arena, &u->env);
	/* Behind srun the first word is srun's, which was looked for in PATH. */
	if (u->argv.all[0] != r->nsys)
		u->argv.all[0] = r->program;
	r->profiler_argv = u->argv.all;
	r->profiler_argc = u->argv.count;
	r->env = u->env.all;
	if (record_write(r, &u->folder, e) < 0)
		return -1;
	/* The last manifest is to say how it ended, also where that is a full disk. */
	run_folder_reserve(&u->folder, run_folder_bytes(u->folder.path) + MORE_BYTES);
	return 0;
}

static int run_program(struct running *u, struct err *e)
{
	const struct profile_args *o = profile_args(u->inv);
	char *folder = run_folder_file(&u->folder, "nsys");
	char *log = run_folder_file(&u->folder, "nsys/log");
	const struct process p = {
		.argv = (char *const *)u->argv.all,
		.env = u->env.all,
		.attended = true,
		.profiler = u->job->nsys,
		.scratch = nsys_scratch(),
		.log = log,
		.timeout_s = o->timeout_s,
		.grace_s = o->grace_s,
	};
	struct process_end end;
	int result;

	/* What was said so far comes first. */
	fflush(NULL);
	result = process_run(&p, &end, e);
	if (result == 0) {
		u->starved = end.starved;
		u->given_up = end.given_up;
		profile_note_end(u->record, &end, folder, log);
		profile_say_end(u->record);
		if (end.log_failed)
			say_warning("the log is incomplete: is the disk full?");
		if (end.dropped)
			say_warning(
				"interrupted: the last output was not shown, it is in nsys/log");
	}
	process_end_free(&end);
	free(folder);
	free(log);
	return result;
}

/* The last writing tells whether the disk is full. */
void profile_enter(struct running *u, enum run_stage stage)
{
	struct err ignored;

	u->record->stage = stage;
	record_write(u->record, &u->folder, &ignored);
}

static int run_stages(struct running *u, struct err *e)
{
	if (run_program(u, e) < 0)
		return -1;
	u->was_full = profile_disk_is_full(&u->folder);
	profile_enter(u, STAGE_REPORT);
	return profile_reports(u, e);
}

/* Where the explanation is, to be pasted into a shell; of several their folder. */
static void add_explanation(struct buf *b, const struct running *u)
{
	struct buf path = {0}, word = {0};

	buf_addf(&path, "%s/%s/report%s", u->job->root, u->folder.id,
		 u->record->report_count > 1 ? "" : "/report.html");
	word_add_quoted(&word, path.s);
	buf_adds(b, "; report: ");
	text_add_safe(b, buf_str(&word));
	buf_free(&path);
	buf_free(&word);
}

static void say_kept(const struct running *u)
{
	uint64_t bytes = run_folder_bytes(u->folder.path);
	struct buf b = {0};

	buf_adds(&b, "gpuwhy: kept in ");
	text_add_safe(&b, str_of(u->job->root));
	buf_addf(&b, "/%s, ", u->folder.id);
	units_add_bytes(&b, (double)bytes);
	if (!u->record->failed)
		add_explanation(&b, u);
	fprintf(stderr, "%s\n", b.s);
	buf_free(&b);
	if (bytes > RUN_LARGE_BYTES)
		say_warning("that is more than 2 GB: capture less (--range, --duration, fewer "
			    "steps), or use gpuwhy runs compress");
}

static void explain_disk(const struct running *u, struct err *e)
{
	const struct run_record *r = u->record;

	profile_explain_disk(profile_args(u->inv), &u->folder,
			     r->report_count && !u->was_full ? r->reports[0].report : NULL, e);
}

static int finish(struct running *u, int result, struct err *e)
{
	struct run_record *r = u->record;
	struct err writing;

	r->failed = result < 0;
	if (result < 0 && !r->gave_up)
		explain_disk(u, e);
	if (result < 0)
		r->problem = *e;
	else
		r->stage = STAGE_DONE;
	run_folder_release(&u->folder);
	if (record_write(r, &u->folder, &writing) < 0) {
		/* The first thing that went wrong is the one to tell. */
		if (result < 0) {
			say_warning("manifest.json could not be written: how the run ended is not "
				    "recorded");
		} else {
			*e = writing;
			explain_disk(u, e);
			result = -1;
		}
	}
	fflush(stdout);
	say_kept(u);
	profile_tell_secrets(u);
	return result;
}

int profile_run(struct invocation *inv, const struct profile_job *job, struct run_record *r,
		struct err *e)
{
	struct running u = {.inv = inv, .job = job, .record = r, .folder = RUN_FOLDER_NONE};
	char *program;
	int result;

	*r = (struct run_record){0};
	if (profile_find_program(profile_args(inv), job, &program, e) < 0)
		return -1;
	result = begin_record(&u, program, e);
	free(program);
	if (result == 0) {
		result = begin_folder(&u, e);
		if (result < 0) {
			explain_disk(&u, e);
			run_folder_discard(&u.folder);
		}
	}
	if (result == 0)
		result = finish(&u, run_stages(&u, e), e);
	run_folder_close(&u.folder);
	string_list_free(&u.argv);
	string_list_free(&u.env);
	string_list_free(&u.words);
	r->profiler_argv = r->env = r->argv = NULL;
	return result;
}
