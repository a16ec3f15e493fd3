/*
 * Integers as digits. printf costs more than everything else together when fifteen million rows
 * are written, and it follows the locale.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

void decimal_add_uint(struct buf *b, uint64_t n);
void decimal_add_int(struct buf *b, int64_t n);
/* Exactly `digits` digits, zeros in front: the part after a decimal point. */
void decimal_add_padded(struct buf *b, uint64_t n, int digits);

/* Whether it is what people call a number: 12, -3.5, .5; not 0x10, 1e3, nan or " 5". */
bool decimal_is_plain(const char *text);

#endif
