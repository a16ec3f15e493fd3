/*
 * What of a command line may be written down. Three things are secrets: the value of a name that
 * says so, a token that begins as those of well-known services do, and the login in a URL.
 * docs/capture.md tells users what that means.
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
 * secret_names.c: --api-key, hub.token, HF_TOKEN, api_keys; not --max-tokens, --key-dim,
 * --pad-token-id, --text-key.
 */
bool secret_name(struct str name);

#endif
