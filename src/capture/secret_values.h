/* What is a secret by its look, whatever it is called: tokens, random text, user:password@host. */
#ifndef CAPTURE_SECRET_VALUES_H
#define CAPTURE_SECRET_VALUES_H

#include "base/buf.h"

#define SECRET_MASK "***"

/* How long the letters, digits, _, - and . are with which it begins. */
size_t secret_token_length(struct str s);
/* Whether it could be made up by a machine: letters and digits mixed, no path, no sentence. */
bool secret_looks_made_up(struct str s);
/* Yes, no and the like, which are a secret of nobody. */
bool secret_is_answer(struct str s);
/* Appends the text, with SECRET_MASK for what is a secret in it. */
void secret_value_add(struct buf *b, struct str value);

#endif
