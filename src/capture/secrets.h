/*
 * What of a command line may be written down: what it passes as a secret is masked. Better too
 * much is hidden than too little.
 */
#ifndef CAPTURE_SECRETS_H
#define CAPTURE_SECRETS_H

#include "base/buf.h"

/* Walks along a command line: begin with a zeroed struct. */
struct mask {
	bool next; /* the next word is the value of an option that takes a secret */
	bool more; /* the last word was one */
	bool many; /* and the option takes several */
	bool user; /* the next word is USER:PASSWORD */
};

/* Appends a word of the command line, with *** for what is secret in it. */
void secrets_add_word(struct buf *b, struct mask *m, const char *word);
/* The same for the value of something with a name, as of a variable. */
void secrets_add_named(struct buf *b, const char *name, const char *value);

#endif
