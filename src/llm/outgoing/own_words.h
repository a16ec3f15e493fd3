/*
 * The words of the program's own texts, made by tools/own-words: a text that has no other can be
 * sent where names are not to leave.
 */
#ifndef LLM_OUTGOING_OWN_WORDS_H
#define LLM_OUTGOING_OWN_WORDS_H

#include "base/str.h"

#include <stddef.h>

extern const char *const own_words[]; /* small letters, sorted */
extern const size_t own_word_count;

/* Whether all letters of the text are in such words; numbers and marks are nobody's. */
bool own_words_are_all(struct str text);

#endif
