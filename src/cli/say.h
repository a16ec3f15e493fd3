/* Words to the person at the terminal: on stderr, made safe, whatever a trace put into them. */
#ifndef CLI_SAY_H
#define CLI_SAY_H

#include "base/err.h"

#include <stddef.h>

/* "gpuwhy: message", and the hint below it. */
void say_error(const struct err *e);
/* "warning: text", for answers that have no place for one. */
void say_warning(const char *text);
/* "wrote path: what", on stdout. */
void say_wrote(const char *path, const char *what);
/* "SKIPPED what: why" */
void say_skipped(const char *what, const char *why);

/* The candidate nearest to a mistyped word so far; start with {word, NULL, limit}. */
struct nearest {
	const char *word;
	const char *found;
	size_t distance; /* of found; only nearer ones take its place */
};

void nearest_try(struct nearest *n, const char *candidate);

#endif
