/* Numbers in words: "three", "twice". English alone, in which most models answer. */
#ifndef LLM_NUMBER_WORD_H
#define LLM_NUMBER_WORD_H

#include "base/str.h"

/* How long the one is that the text begins with; 0: it begins with none. "One" is mostly none. */
size_t number_word_length(struct str text);

#endif
