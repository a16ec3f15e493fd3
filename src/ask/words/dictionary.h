/* What people say, in the terms that the topics use: abbreviations, synonyms, German, Chinese. */
#ifndef ASK_DICTIONARY_H
#define ASK_DICTIONARY_H

#include "base/str.h"

struct entry {
	const char *said;  /* words with a space between them */
	const char *meant; /* "": nothing */
};

/* The longest entry that the words begin with, of at most `count`; NULL: there is none. */
const struct entry *dictionary_find(const char *const *words, size_t count, size_t *ret_used);
/* The longest entry of a language without spaces that the text begins with, or NULL. */
const struct entry *dictionary_find_text(struct str text);
/* The i-th word that somebody may say; NULL after the last. */
const char *dictionary_said_at(size_t i);

#endif
