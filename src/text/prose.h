/* Sentences that names of a trace stand in. */
#ifndef TEXT_PROSE_H
#define TEXT_PROSE_H

#include "base/buf.h"

/*
 * Appends a text without characters that nobody sees; of what is between backticks, and of words,
 * at most some hundred bytes, "…" in place of the rest: a name may have any length.
 */
void prose_add(struct buf *b, struct str text);

#endif
