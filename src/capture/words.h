/* A list of words that grows: an argv, additions to an environment. NULL follows the last. */
#ifndef CAPTURE_WORDS_H
#define CAPTURE_WORDS_H

#include "base/arena.h"
#include "base/buf.h"

/* A zeroed one is empty and valid. The words themselves are somebody else's. */
struct words {
	const char **all;
	size_t count, cap;
};

void words_add(struct words *w, const char *word);
void words_addf(struct words *w, struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void words_free(struct words *w);

/*
 * A path for a profiler's option that names its report: nsys and ncu take %h, %p and %q{NAME} in it
 * for something else, and %% for %.
 */
const char *words_literal_path(struct arena *a, const char *path);

/* As a POSIX shell reads them back: quoted where they must be, with a space between. */
void words_add_quoted(struct buf *b, const char *const *words, size_t count);
void word_add_quoted(struct buf *b, const char *word);

#endif
