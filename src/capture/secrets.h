/*
 * What of a command line and of an environment may be written down. In a command line three things
 * are secrets: the value of a name that says so, a token that begins as those of well-known
 * services do, and the login in a URL. docs/capture.md tells users what that means.
 */
#ifndef CAPTURE_SECRETS_H
#define CAPTURE_SECRETS_H

#include "base/buf.h"

#define SECRET_MASK "***"

/* Walks along a command line: begin with a zeroed struct. */
struct mask {
	bool next; /* the next word is the value of an option that takes a secret */
	bool many; /* and so are those behind it, up to the next option */
};

/* Appends a word of the command line, with *** for what is secret in it. */
void secrets_add_word(struct buf *b, struct mask *m, const char *word);
/* The same for the value of something with a name, as of a variable. */
void secrets_add_named(struct buf *b, const char *name, const char *value);

/*
 * Whether what has this name is a secret: --api-key, hub.token, HF_TOKEN, api_keys; not
 * --max-tokens, --key-dim, --pad-token-id, --text-key.
 */
bool secret_name(struct str name);

/*
 * secret_environment.c: what of an environment is a secret, of ours before it is written down, and
 * of a program's where a profiler has written it down already.
 */

/* Whether a variable may be written down: an allow-list has it, and its name hints at no secret. */
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
