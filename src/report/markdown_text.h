/*
 * Text inside Markdown. What comes from a trace must not become markup, a link or a mention.
 */
#ifndef REPORT_MARKDOWN_TEXT_H
#define REPORT_MARKDOWN_TEXT_H

#include "base/buf.h"

/*
 * Running text of the report's own, made safe: names and commands between `backticks` as code, in
 * the rest everything escaped that means something.
 */
void markdown_add_text(struct buf *b, const char *text);
/*
 * Safe text, in a table's cell or not: words stand as they are, anything else goes into a code
 * span, where GitHub looks for nothing.
 */
void markdown_add_literal(struct buf *b, struct str s, bool in_cell);

#endif
