/* What is within a line of a guide. */
#ifndef GUIDES_GUIDE_INLINE_H
#define GUIDES_GUIDE_INLINE_H

#include "base/buf.h"

/* Appends it without the brackets of links: "text (URL)", "text (gpuwhy help TOPIC)". */
void guide_add_inline(struct buf *b, struct str s);

#endif
