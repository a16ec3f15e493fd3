/* What is written down of a run? */
#include "capture/record.h"

#include "capture/manifest.h"
#include "capture/secrets.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const stage_names[] = {
	[STAGE_RUN] = "run",	 [STAGE_REPORT] = "report",   [STAGE_EXPORT] = "export",
	[STAGE_CHECK] = "check", [STAGE_EXPLAIN] = "explain", [STAGE_DONE] = "done",
};

const char *run_stage_name(enum run_stage s)
{
	return stage_names[s];
}

void record_free(struct run_record *r)
{
	inputs_free(&r->inputs);
	string_list_free(&r->shown);
	known_secrets_free(&r->known);
	free(r->reports);
	arena_free(&r->arena);
	*r = (struct run_record){0};
}

void record_hide_secrets(struct run_record *r)
{
	known_secrets_read(&r->known);
	manifest_shown_words(r->argv, r->argc, r->settings, r->setting_count, &r->known, &r->arena,
			     &r->shown);
}

static void write_variable(struct json_writer *w, const struct known_secrets *known,
			   const char *entry)
{
	const char *equals = strchr(entry, '=');
	struct buf name = {0}, value = {0};

	if (!equals || !secrets_allow_variable((struct str){entry, (size_t)(equals - entry)}))
		return;
	buf_add(&name, entry, (size_t)(equals - entry));
	secrets_add_named(&value, name.s, equals + 1);
	known_secrets_hide(known, &value);
	manifest_cut(&value);
	json_write_str(w, name.s, buf_str(&value));
	buf_free(&name);
	buf_free(&value);
}

/* A name may come twice in an environment; who asks for it gets the first. */
static bool is_first(char *const *entry)
{
	size_t len = strcspn(*entry, "=") + 1;

	for (char *const *earlier = environ; earlier < entry; earlier++) {
		if (strncmp(*earlier, *entry, len) == 0)
			return false;
	}
	return true;
}

static void write_environment(struct json_writer *w, const struct run_record *r)
{
	const size_t from = w->out->len;

	json_write_open(w, "environment", '{');
	for (char **entry = environ; *entry && manifest_has_room(w, from); entry++) {
		if (!process_env_replaces(r->env, *entry) && is_first(entry))
			write_variable(w, &r->known, *entry);
	}
	json_write_close(w, '}');
	json_write_open(w, "environment_added", '{');
	for (size_t i = 0; r->env && r->env[i]; i++)
		write_variable(w, &r->known, r->env[i]);
	json_write_close(w, '}');
}

static void write_machine(struct json_writer *w, const struct facts *f)
{
	json_write_open(w, "machine", '{');
	json_write_open(w, "gpus", '[');
	for (size_t i = 0; i < f->gpu_count; i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "name", f->gpus[i].name);
		if (f->gpus[i].memory_bytes >= 0)
			json_write_int(w, "memory_bytes", f->gpus[i].memory_bytes);
		else
			json_write_null(w, "memory_bytes");
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	json_write_text(w, "driver", f->driver);
	json_write_text(w, "cuda", f->cuda);
	json_write_close(w, '}');
}

static void write_git(struct json_writer *w, const struct facts *f)
{
	if (!f->git_commit) {
		json_write_null(w, "git");
		return;
	}
	json_write_open(w, "git", '{');
	json_write_text(w, "commit", f->git_commit);
	json_write_bool(w, "dirty", f->git_dirty);
	json_write_close(w, '}');
}

static void write_seeds(struct json_writer *w, const struct run_record *r)
{
	const size_t from = w->out->len;

	json_write_open(w, "seeds", '{');
	if (r->seed)
		json_write_text(w, "gpuwhy --seed", r->seed);
	for (size_t i = 0; i < r->inputs.seed_count && manifest_has_room(w, from); i++)
		json_write_text(w, r->inputs.seeds[i].name, r->inputs.seeds[i].value);
	json_write_close(w, '}');
}

static void write_inputs(struct json_writer *w, const struct run_record *r)
{
	const size_t from = w->out->len;

	json_write_open(w, "inputs", '[');
	for (size_t i = 0; i < r->inputs.file_count && manifest_has_room(w, from); i++) {
		const struct input_file *f = &r->inputs.files[i];

		json_write_open(w, NULL, '{');
		json_write_text(w, "path", f->path);
		json_write_int(w, "size_bytes", (int64_t)f->size_bytes);
		json_write_text(w, "sha256", f->sha256[0] ? f->sha256 : NULL);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
}

static void write_end(struct json_writer *w, const struct run_record *r)
{
	manifest_write_time(w, "started", r->started);
	json_write_real(w, "started_unix_s", r->started_unix_s);
	manifest_write_time(w, "ended", r->ended);
	json_write_real(w, "elapsed_s", r->elapsed_s);
	json_write_open(w, "exit", '{');
	if (r->has_ended)
		json_write_int(w, "code", r->exit_code);
	else
		json_write_null(w, "code");
	json_write_bool(w, "certain", r->has_ended && !r->doubtful);
	if (r->signal)
		json_write_int(w, "signal", r->signal);
	else
		json_write_null(w, "signal");
	json_write_bool(w, "timed_out", r->timed_out);
	json_write_bool(w, "interrupted", r->interrupted != 0);
	json_write_int(w, "ended_processes", r->ended_processes);
	json_write_open(w, "left_processes", '[');
	for (unsigned i = 0; i < r->left.count && i < PROCESS_LEFT_TOLD; i++)
		json_write_int(w, NULL, r->left.pids[i]);
	json_write_close(w, ']');
	json_write_close(w, '}');
}

/* What nsys said may be in it, and of that the command. */
static void write_told(struct json_writer *w, const char *key, const struct run_record *r,
		       const char *text)
{
	struct buf b = {0};

	buf_adds(&b, text);
	known_secrets_hide(&r->known, &b);
	json_write_text(w, key, b.len ? b.s : NULL);
	buf_free(&b);
}

static void write_state(struct json_writer *w, const struct run_record *r)
{
	json_write_text(w, "state",
			r->failed		 ? "failed"
			: r->stage == STAGE_DONE ? "done"
						 : "running");
	json_write_text(w, "stage", stage_names[r->stage]);
	if (!r->failed) {
		json_write_null(w, "problem");
		return;
	}
	json_write_open(w, "problem", '{');
	write_told(w, "message", r, r->problem.message);
	write_told(w, "hint", r, r->problem.hint);
	json_write_close(w, '}');
}

static void write_reports(struct json_writer *w, const struct run_record *r)
{
	const size_t from = w->out->len;

	json_write_open(w, "reports", '[');
	for (size_t i = 0; i < r->report_count && manifest_has_room(w, from); i++) {
		json_write_open(w, NULL, '{');
		json_write_text(w, "report", r->reports[i].report);
		json_write_text(w, "trace", r->reports[i].trace);
		json_write_text(w, "explanation", r->reports[i].explanation);
		json_write_close(w, '}');
	}
	json_write_close(w, ']');
	json_write_open(w, "result", '{');
	if (r->has_busy)
		json_write_real(w, "gpu_busy_pct", r->busy_pct);
	else
		json_write_null(w, "gpu_busy_pct");
	json_write_text(w, "finding", r->finding);
	json_write_close(w, '}');
}

static void write_matrix(struct json_writer *w, const struct run_record *r)
{
	if (!r->matrix) {
		json_write_null(w, "matrix");
		return;
	}
	json_write_open(w, "matrix", '{');
	json_write_text(w, "id", r->matrix);
	manifest_write_settings(w, r->settings, r->setting_count);
	json_write_close(w, '}');
}

static void write_document(struct json_writer *w, const struct run_record *r)
{
	json_write_open(w, NULL, '{');
	manifest_write_head(w, "run", r->id, r->label);
	write_state(w, r);
	manifest_write_words(w, "argv", r->argv, r->argc, r->settings, r->setting_count);
	json_write_text(w, "program", r->program);
	json_write_text(w, "cwd", r->cwd);
	write_end(w, r);
	json_write_text(w, "preset", r->preset);
	json_write_open(w, "profiler", '{');
	json_write_text(w, "path", r->nsys);
	json_write_text(w, "version", r->facts.nsys_version);
	if (r->nsys_signal)
		json_write_int(w, "signal", r->nsys_signal);
	manifest_write_words(w, "argv", r->profiler_argv, r->profiler_argc, r->settings,
			     r->setting_count);
	json_write_close(w, '}');
	write_environment(w, r);
	write_machine(w, &r->facts);
	write_git(w, &r->facts);
	write_seeds(w, r);
	write_inputs(w, r);
	write_matrix(w, r);
	write_reports(w, r);
	json_write_close(w, '}');
}

int record_write(const struct run_record *r, const struct run_folder *f, struct err *e)
{
	struct buf b = {0};
	struct json_writer w = {.out = &b};
	int result;

	write_document(&w, r);
	result = manifest_put(f, &b, e);
	buf_free(&b);
	return result;
}
