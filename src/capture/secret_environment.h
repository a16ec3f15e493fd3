/*
 * What of an environment is a secret: of ours, before it is written down, and of a program's, where
 * a profiler has written it down already. Variables are named by an allow-list; whatever smells of
 * a secret is left out even there.
 */
#ifndef CAPTURE_SECRET_ENVIRONMENT_H
#define CAPTURE_SECRET_ENVIRONMENT_H

#include "base/buf.h"

/* Whether a variable may be written down, name and value. */
bool secrets_allow_variable(struct str name);
/* Whether its value is a secret, by its name or because it has one in it. */
bool secret_variable(struct str name, struct str value);
/*
 * Values of such variables of our own: a shell that replaces $HF_TOKEN leaves nothing else to know
 * it by. And what a command passes as one, which may be said in it again. Short ones mean anything,
 * and are not among them. The environment and the command must stay as they are.
 */
struct known_secrets {
	struct str *all;
	size_t count, cap;
};

void known_secrets_read(struct known_secrets *k);
/* What is hidden of a word of the command, `shown`, where that ends in it. */
void known_secrets_add(struct known_secrets *k, const char *word, const char *shown);
void known_secrets_free(struct known_secrets *k);
/* Puts *** for them where the text has any. */
void known_secrets_hide(const struct known_secrets *k, struct buf *b);
/*
 * An environment as profilers keep it: NAME=value or NAME="value", several with a NUL or a ;
 * between them. Appends it with *** for what may not be written down; false: all of it may.
 */
bool secrets_hide_variables(struct buf *b, struct str text);

#endif
