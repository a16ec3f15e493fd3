/* Command lines as a shell, or a profiler, reads them. */
#ifndef TEXT_SHELL_WORDS_H
#define TEXT_SHELL_WORDS_H

#include "base/buf.h"
#include "base/string_list.h"

/*
 * A path for a profiler's option that names its report: nsys and ncu take %h, %p and %q{NAME} in it
 * for something else, and %% for %.
 */
const char *words_literal_path(struct arena *a, const char *path);

/* As a POSIX shell reads them back: quoted where they must be, with a space between. */
void words_add_quoted(struct buf *b, const char *const *words, size_t count);
void word_add_quoted(struct buf *b, const char *word);

#endif
