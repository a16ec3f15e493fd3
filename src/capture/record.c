/* How is a run written down, small, whole and without secrets, and how is that read back? */
#include "capture/record.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/version.h"
#include "text/json_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * A manifest stays a small document, whatever a command line holds: no list of it takes more than
 * so much as it is written, and all of them less than what is read back.
 */
enum { WORD_BYTES = 1024, LIST_BYTES = 96 << 10 };

/* Whether a list that began at `from` may go on. */
static bool manifest_has_room(const struct json_writer *w, size_t from)
{
	return w->out->len - from < LIST_BYTES;
}

/* No text is longer than a word of a command line may be. */
static void manifest_cut(struct buf *b)
{
	if (b->len <= WORD_BYTES)
		return;
	b->len = WORD_BYTES;
	buf_adds(b, "…");
}

/* What a secret of --matrix has become in a word that does not look like one. */
static void hide_settings(struct buf *b, const struct setting *settings, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct setting *s = &settings[i];
		const char *at = *s->value && strcmp(s->value, s->shown) != 0
					 ? strstr(b->s, s->value)
					 : NULL;

		if (at) {
			buf_clear(b);
			buf_adds(b, s->shown);
		}
	}
}

/* What one word tells of a secret holds for all. */
void manifest_shown_words(const char *const *words, size_t count, const struct setting *settings,
			  size_t setting_count, struct known_secrets *known, struct arena *a,
			  struct string_list *ret)
{
	struct mask mask = {0};
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < count; i++) {
		buf_clear(&b);
		buf_adds(&b, "");
		secrets_add_word(&b, &mask, words[i]);
		hide_settings(&b, settings, setting_count);
		known_secrets_add(known, words[i], b.s);
		string_list_add(ret, arena_str(a, buf_str(&b)).s);
	}
	for (size_t i = 0; i < count && known->count; i++) {
		buf_clear(&b);
		buf_adds(&b, ret->all[i]);
		known_secrets_hide(known, &b);
		if (strcmp(b.s, ret->all[i]) != 0)
			ret->all[i] = arena_str(a, buf_str(&b)).s;
	}
}

/* The words of a command line without secrets, as a list. */
static void manifest_write_words(struct json_writer *w, const char *key, const char *const *words,
				 size_t count, const struct setting *settings, size_t setting_count)
{
	const size_t from = w->out->len;
	struct known_secrets known;
	struct arena arena = {0};
	struct string_list shown = {0};
	SCOPED_BUF b = {0};
	size_t i = 0;

	known_secrets_read(&known);
	manifest_shown_words(words, count, settings, setting_count, &known, &arena, &shown);
	json_write_open(w, key, '[');
	for (; i < count && manifest_has_room(w, from); i++) {
		buf_clear(&b);
		buf_adds(&b, shown.all[i]);
		manifest_cut(&b);
		json_write_str(w, NULL, buf_str(&b));
	}
	if (i < count)
		json_write_text(w, NULL, "…");
	json_write_close(w, ']');
	string_list_free(&shown);
	arena_free(&arena);
	known_secrets_free(&known);
}

/* In UTC; 0: null. */
static void manifest_write_time(struct json_writer *w, const char *key, time_t when)
{
	char text[32];
	struct tm tm;

	if (!when) {
		json_write_null(w, key);
		return;
	}
	gmtime_r(&when, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	json_write_text(w, key, text);
}

static void manifest_write_settings(struct json_writer *w, const struct setting *settings,
				    size_t count)
{
	SCOPED_BUF b = {0};

	json_write_open(w, "settings", '{');
	for (size_t i = 0; i < count; i++) {
		buf_clear(&b);
		buf_adds(&b, settings[i].shown);
		manifest_cut(&b);
		json_write_str(w, settings[i].name, buf_str(&b));
	}
	json_write_close(w, '}');
}

static void manifest_write_head(struct json_writer *w, const char *kind, const char *id,
				const char *label)
{
	json_write_open(w, "gpuwhy", '{');
	json_write_text(w, "version", GPUWHY_VERSION);
	json_write_int(w, "manifest", MANIFEST_VERSION);
	json_write_close(w, '}');
	json_write_text(w, "kind", kind);
	json_write_text(w, "id", id);
	json_write_text(w, "label", label);
}

/* Puts manifest.json into the folder, whole or not at all. */
static int manifest_put(const struct run_folder *f, const struct buf *b, struct err *e)
{
	SCOPED char *path = run_folder_file(f, "manifest.json");
	SCOPED char *half = run_folder_file(f, ".manifest");
	int result = file_write(half, buf_str(b), e);

	if (result == 0 && rename(half, path) < 0)
		result = err_set_errno(e, "cannot write '%s'", path);
	if (result < 0)
		unlink(half);
	return result;
}

/* The number, or null where there is none. */
static void write_int_if(struct json_writer *w, const char *key, bool has, int64_t n)
{
	if (has)
		json_write_int(w, key, n);
	else
		json_write_null(w, key);
}

static const char *const stage_names[] = {
	[STAGE_RUN] = "run",	 [STAGE_REPORT] = "report",   [STAGE_EXPORT] = "export",
	[STAGE_CHECK] = "check", [STAGE_EXPLAIN] = "explain", [STAGE_DONE] = "done",
};

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
	SCOPED_BUF name = {0}, value = {0};

	if (!equals || !secrets_allow_variable((struct str){entry, (size_t)(equals - entry)}))
		return;
	buf_add(&name, entry, (size_t)(equals - entry));
	secrets_add_named(&value, name.s, equals + 1);
	known_secrets_hide(known, &value);
	manifest_cut(&value);
	json_write_str(w, name.s, buf_str(&value));
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
		write_int_if(w, "memory_bytes", f->gpus[i].memory_bytes >= 0,
			     f->gpus[i].memory_bytes);
		gpu_state_write(w, &f->gpus[i].state);
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
	write_int_if(w, "code", r->has_ended, r->exit_code);
	json_write_bool(w, "certain", r->has_ended && !r->doubtful);
	write_int_if(w, "signal", r->signal != 0, r->signal);
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
	SCOPED_BUF b = {0};

	buf_adds(&b, text);
	known_secrets_hide(&r->known, &b);
	json_write_text(w, key, b.len ? b.s : NULL);
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
	json_write_real(w, "gpu_busy_pct", r->has_busy ? r->busy_pct : NAN);
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
	SCOPED_BUF b = {0};
	struct json_writer w = {.out = &b};

	write_document(&w, r);
	return manifest_put(f, &b, e);
}

static bool is_of(const struct json *document, const char *id)
{
	const struct json *own = json_read_member(document, "gpuwhy");

	return own && json_read_number(json_read_member(own, "manifest")) == MANIFEST_VERSION &&
	       str_eq(json_read_string(json_read_member(document, "id")), str_of(id));
}

int manifest_read(struct manifest *m, const char *folder, struct err *e)
{
	SCOPED char *path = file_in(folder, "manifest.json");

	*m = (struct manifest){.id = str_last_part(folder)};
	if (json_read_file(&m->document, path, e) < 0)
		return -1;
	if (!is_of(m->document, m->id)) {
		manifest_free(m);
		err_set(e, ERR_INPUT, "the manifest.json in '%s' belongs to another run", folder);
		return err_hint(e, "it was renamed, or made by another version");
	}
	m->is_matrix =
		str_eq(json_read_string(json_read_member(m->document, "kind")), STR_LIT("matrix"));
	m->state = json_read_string(json_read_member(m->document, "state"));
	return 0;
}

void manifest_free(struct manifest *m)
{
	json_read_free(m->document);
	*m = (struct manifest){0};
}

/* More than other lists: each of its entries is a run. */
enum { RUNS_BYTES = 512 << 10 };

static void write_compared(struct json_writer *w, const struct compared_run *c, size_t settings)
{
	json_write_open(w, NULL, '{');
	json_write_text(w, "id", c->id);
	manifest_write_settings(w, c->settings, settings);
	json_write_bool(w, "failed", c->failed);
	json_write_close(w, '}');
}

int matrix_record_write(const struct matrix_record *m, const struct run_folder *f, struct err *e)
{
	SCOPED_BUF b = {0};
	struct json_writer w = {.out = &b};
	size_t from;

	json_write_open(&w, NULL, '{');
	manifest_write_head(&w, "matrix", m->id, m->label);
	json_write_text(&w, "state", m->interrupted ? "interrupted" : m->done ? "done" : "running");
	manifest_write_words(&w, "argv", m->argv, m->argc, NULL, 0);
	manifest_write_time(&w, "started", m->started);
	json_write_real(&w, "started_unix_s", m->started_unix_s);
	from = b.len;
	json_write_open(&w, "runs", '[');
	for (size_t i = 0; i < m->run_count && b.len - from < RUNS_BYTES; i++)
		write_compared(&w, &m->runs[i], m->setting_count);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	return manifest_put(f, &b, e);
}
