/*
 * Names of a trace in place of which others leave the machine, "kernel_3", and the way back: what a
 * model says of kernel_3 is said of the kernel again where people see it.
 */
#ifndef LLM_ALIASES_H
#define LLM_ALIASES_H

#include "base/buf.h"
#include "trace/trace.h"

struct aliases;

/* All names that the trace has, and its path. Freed by aliases_free(). */
int aliases_make(struct aliases **ret, struct trace *t, const char *path, struct err *e);
void aliases_free(struct aliases *a); /* NULL is fine */

/* Appends a text with aliases in place of names, and of paths. */
void aliases_add_hidden(struct buf *b, struct aliases *a, struct str text);
/* The way back. */
void aliases_add_shown(struct buf *b, const struct aliases *a, struct str text);

#endif
