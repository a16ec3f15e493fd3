/* Text on its way to a model, or from one, without what nobody sees. */
#ifndef LLM_OUTGOING_CLEAN_TEXT_H
#define LLM_OUTGOING_CLEAN_TEXT_H

#include "base/buf.h"

/* Without characters that are not seen or that move what is; lines stay. At most so many bytes. */
void clean_text_add(struct buf *b, struct str text, size_t most);

#endif
