/* Numbers in words or in characters that are none of 0 to 9: English, German and Chinese. */
#ifndef LLM_NUMBER_WORD_H
#define LLM_NUMBER_WORD_H

#include "base/str.h"

/*
 * How long the words are that the text begins with, "four hundred and twelve", "dreihundert",
 * "三百"; 0: it begins with none. "One" is mostly none. `is_sure`: they are a number, whatever
 * follows: "Ⅻ", "½".
 */
size_t number_word_length(struct str text, bool *is_sure);

#endif
