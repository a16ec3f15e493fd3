/*
 * Names of a trace in place of which others leave the machine, "kernel_3", and the way back: what a
 * model says of kernel_3 is said of the kernel again where people see it.
 *
 * What leaves is what is known to be the program's own, and nothing else: the texts that it makes
 * of a name, shorter ones or such with "N" in place of numbers, need not be known.
 */
#ifndef LLM_OUTGOING_ALIASES_H
#define LLM_OUTGOING_ALIASES_H

#include "base/buf.h"
#include "trace/trace.h"

struct aliases;

/* All names that the trace has, and its path. Freed by aliases_free(). */
int aliases_make(struct aliases **ret, struct trace *t, const char *path, struct err *e);
void aliases_free(struct aliases *a); /* NULL is fine */

/* A text of an answer that is one name: from here on it is known in sentences, too. */
void aliases_learn(struct aliases *a, struct str name, bool is_kernel);
/* Appends an alias in place of it; itself where the program says so of any trace: "(no sample)". */
void aliases_add_name(struct buf *b, struct aliases *a, struct str name, bool is_kernel);
/*
 * Appends a sentence of the program's: an alias in place of each name that is known, of what is
 * between backticks or quotes, and of each word that the program does not use itself. An error
 * quotes what it was asked for, which is a name only where it is known.
 */
void aliases_add_sentence(struct buf *b, struct aliases *a, struct str text, bool is_error);
/* Appends a user's text: an alias in place of each name that is known, and of paths. */
void aliases_add_question(struct buf *b, struct aliases *a, struct str text);
/* The way back. */
void aliases_add_shown(struct buf *b, const struct aliases *a, struct str text);

#endif
