/* One character of text that may not be UTF-8. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/str.h"

#include <stdint.h>

/*
 * The character that s begins with. Returns its length in bytes, or 0 where s does not begin with
 * valid UTF-8 (overlong forms, surrogates and values above U+10FFFF are not). s is not empty.
 */
size_t utf8_decode(struct str s, uint32_t *ret_char);
/* Its bytes, at most UTF8_MOST, of which it returns how many; nothing for what is no character. */
enum { UTF8_MOST = 4 };
size_t utf8_encode(uint32_t c, char *ret);
/* Terminal columns: 0 for combining and invisible characters, 2 for wide ones, else 1. */
size_t utf8_columns(uint32_t c);
/* Whether showing it could move the cursor, change colours or reorder the line. */
bool utf8_is_control(uint32_t c);
/* Whether nobody sees it, though a program reads it: such a one, zero-width, bidirectional, … */
bool utf8_is_unseen(uint32_t c);

/* The value of a decimal digit of any script, "٣"; -1: it is none. */
int utf8_digit(uint32_t c);
/* Whether it is a number besides: "Ⅻ", "½", "④", "⁵". */
bool utf8_is_numeral(uint32_t c);

#endif
