/* How is what a manifest says written: small, whole, and without secrets? */
#include "capture/manifest_write.h"

#include "base/file.h"
#include "base/version.h"
#include "capture/secret_environment.h"
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
			  struct words *ret)
{
	struct mask mask = {0};
	struct buf b = {0};

	for (size_t i = 0; i < count; i++) {
		buf_clear(&b);
		buf_adds(&b, "");
		secrets_add_word(&b, &mask, words[i]);
		hide_settings(&b, settings, setting_count);
		known_secrets_add(known, words[i], b.s);
		words_add(ret, arena_str(a, buf_str(&b)).s);
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
	struct words shown = {0};
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
	words_free(&shown);
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
