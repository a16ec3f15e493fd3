/* How is a manifest written, small, whole and without secrets, and how is it read? */
#include "capture/manifest.h"

#include "base/buf.h"
#include "base/file.h"
#include "base/version.h"
#include "capture/record.h"
#include "capture/secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORD_BYTES = 1024, LIST_BYTES = 96 << 10 };

bool manifest_has_room(const struct json_writer *w, size_t from)
{
	return w->out->len - from < LIST_BYTES;
}

void manifest_cut(struct buf *b)
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
	struct buf b = {0};

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
	buf_free(&b);
}

void manifest_write_words(struct json_writer *w, const char *key, const char *const *words,
			  size_t count, const struct setting *settings, size_t setting_count)
{
	const size_t from = w->out->len;
	struct known_secrets known;
	struct arena arena = {0};
	struct string_list shown = {0};
	struct buf b = {0};
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
	buf_free(&b);
	string_list_free(&shown);
	arena_free(&arena);
	known_secrets_free(&known);
}

void manifest_write_time(struct json_writer *w, const char *key, time_t when)
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

void manifest_write_settings(struct json_writer *w, const struct setting *settings, size_t count)
{
	struct buf b = {0};

	json_write_open(w, "settings", '{');
	for (size_t i = 0; i < count; i++) {
		buf_clear(&b);
		buf_adds(&b, settings[i].shown);
		manifest_cut(&b);
		json_write_str(w, settings[i].name, buf_str(&b));
	}
	json_write_close(w, '}');
	buf_free(&b);
}

void manifest_write_head(struct json_writer *w, const char *kind, const char *id, const char *label)
{
	json_write_open(w, "gpuwhy", '{');
	json_write_text(w, "version", GPUWHY_VERSION);
	json_write_int(w, "manifest", MANIFEST_VERSION);
	json_write_close(w, '}');
	json_write_text(w, "kind", kind);
	json_write_text(w, "id", id);
	json_write_text(w, "label", label);
}

int manifest_put(const struct run_folder *f, const struct buf *b, struct err *e)
{
	char *path = run_folder_file(f, "manifest.json"), *half = run_folder_file(f, ".manifest");
	int result = file_write(half, buf_str(b), e);

	if (result == 0 && rename(half, path) < 0)
		result = err_set_errno(e, "cannot write '%s'", path);
	if (result < 0)
		unlink(half);
	free(path);
	free(half);
	return result;
}

static bool is_of(const struct json *document, const char *id)
{
	const struct json *own = json_read_member(document, "gpuwhy");

	return own && json_read_number(json_read_member(own, "manifest")) == MANIFEST_VERSION &&
	       str_eq(json_read_string(json_read_member(document, "id")), str_of(id));
}

int manifest_read(struct manifest *m, const char *folder, struct err *e)
{
	struct buf path = {0};
	int result;

	*m = (struct manifest){.id = str_last_part(folder)};
	buf_addf(&path, "%s/manifest.json", folder);
	result = json_read_file(&m->document, path.s, e);
	buf_free(&path);
	if (result < 0)
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
	struct buf b = {0};
	struct json_writer w = {.out = &b};
	size_t from;
	int result;

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
	result = manifest_put(f, &b, e);
	buf_free(&b);
	return result;
}
