/* The little colour there is. */
#ifndef REPORT_ANSI_H
#define REPORT_ANSI_H

#include "report/present.h"

#define ANSI_BOLD   "\033[1m"
#define ANSI_DIM    "\033[2m"
#define ANSI_YELLOW "\033[33m"

/* Safe text, in this style if the outside shows any. */
static inline void ansi_add(struct buf *b, const struct style *style, const char *code,
			    struct str text)
{
	if (style->colour)
		buf_adds(b, code);
	buf_addstr(b, text);
	if (style->colour)
		buf_adds(b, "\033[0m");
}

#endif
