/*
 * Text inside a page. What comes from a trace is shown there and never obeyed: it is made safe as
 * in a terminal, and then nothing in it can end the element or the attribute that it stands in.
 */
#ifndef REPORT_HTML_TEXT_H
#define REPORT_HTML_TEXT_H

#include "base/buf.h"

/* Any bytes: safe and escaped, for an element's content or a quoted attribute. */
void html_add_text(struct buf *b, struct str s);
/* The same between two pieces of markup. */
void html_add_between(struct buf *b, const char *before, const char *text, const char *after);
/* The same; no line ends between a number and its unit, "5.02 ms", nor in an option, "--trace". */
void html_add_figures(struct buf *b, struct str s);
/*
 * The same for sentences of ours: what stands between two ` is code, and so is a whole command that
 * the sentence ends with.
 */
void html_add_prose(struct buf *b, const char *text);
/* Text that is safe already. */
void html_add_escaped(struct buf *b, struct str safe);
/* Safe text, shortened to this many columns; longer text is cut in the middle. */
void html_add_brief(struct buf *b, struct str safe, size_t columns);
/* A number of a drawing: at most two decimals, within what drawings need. */
void html_add_number(struct buf *b, double x);

#endif
