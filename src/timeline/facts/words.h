/* What is known of an event, in words. */
#ifndef TIMELINE_FACTS_WORDS_H
#define TIMELINE_FACTS_WORDS_H

#include "timeline/facts/facts.h"

/*
 * Appends a line for each thing that is known: what it is, a tab, and the value; first the name,
 * alone. Nothing else in it is a tab or a newline. The window is what is seen. The histogram of
 * those of its name is drawn below them where somebody wants it so.
 */
void event_words_add(struct buf *b, const struct event_facts *x, struct span window,
		     bool draws_histogram);

#endif
