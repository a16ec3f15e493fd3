/*
 * Integers as digits. printf costs more than everything else together when fifteen million rows
 * are written, and it follows the locale.
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include "base/buf.h"

#include <stdint.h>

void decimal_add_uint(struct buf *b, uint64_t n);
void decimal_add_int(struct buf *b, int64_t n);
/* Exactly `digits` digits, zeros in front: the part after a decimal point. */
void decimal_add_padded(struct buf *b, uint64_t n, int digits);

#endif
