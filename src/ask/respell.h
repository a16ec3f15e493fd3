/* A question with its slips of the fingers mended. */
#ifndef ASK_RESPELL_H
#define ASK_RESPELL_H

#include "ask/route/corpus.h"
#include "ask/route/route.h"

/*
 * Appends the text with words replaced that are near one that is known here, and are none
 * themselves. What is quoted, numbers and names of the trace stay.
 */
void respell(struct buf *b, struct str text, const struct corpus *c, is_name_fn *is_name,
	     void *ctx);

#endif
