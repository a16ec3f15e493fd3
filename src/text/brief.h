/* Sentences that are too long for a line. */
#ifndef TEXT_BRIEF_H
#define TEXT_BRIEF_H

#include "base/buf.h"

/*
 * Shortens a safe sentence to `width` columns so that it still says the same: how it begins, what
 * it costs, say, and a name of where that is stay; first what is in parentheses goes, then clauses,
 * then words, with … in their place. No number stays without what it counts.
 */
void text_add_brief(struct buf *b, struct str s, size_t width);

#endif
