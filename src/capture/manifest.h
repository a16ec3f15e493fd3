/*
 * What manifests of runs and of comparisons have in common. One stays a small document, whatever a
 * command line holds: no list of it takes more than so much as it is written, and all of them less
 * than what is read back.
 */
#ifndef CAPTURE_MANIFEST_H
#define CAPTURE_MANIFEST_H

#include "capture/record.h"
#include "capture/secrets.h"
#include "capture/shell_words.h"
#include "text/json_write.h"

/* Whether a list that began at `from` may go on. */
bool manifest_has_room(const struct json_writer *w, size_t from);
/* No text is longer than a word of a command line may be. */
void manifest_cut(struct buf *b);

/* Version, kind, id and label. */
void manifest_write_head(struct json_writer *w, const char *kind, const char *id,
			 const char *label);
/*
 * The words of a command line without secrets, those among the settings included, and those that
 * are known; what it passes as one is known then, too.
 */
void manifest_shown_words(const char *const *words, size_t count, const struct setting *settings,
			  size_t setting_count, struct known_secrets *known, struct arena *a,
			  struct string_list *ret);
/* The same, as a list. */
void manifest_write_words(struct json_writer *w, const char *key, const char *const *words,
			  size_t count, const struct setting *settings, size_t setting_count);
/* In UTC; 0: null. */
void manifest_write_time(struct json_writer *w, const char *key, time_t when);
/* The member "settings". */
void manifest_write_settings(struct json_writer *w, const struct setting *settings, size_t count);

/* Puts manifest.json into the folder, whole or not at all. */
int manifest_put(const struct run_folder *f, const struct buf *b, struct err *e);

#endif
