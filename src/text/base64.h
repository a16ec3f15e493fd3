/* Bytes as text that any document may hold: RFC 4648, with padding. */
#ifndef TEXT_BASE64_H
#define TEXT_BASE64_H

#include "base/buf.h"

void base64_add(struct buf *b, const void *bytes, size_t len);

#endif
