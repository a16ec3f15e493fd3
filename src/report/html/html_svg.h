/*
 * What charts are drawn with: shapes of an SVG picture. Colours and fonts are classes of page.css;
 * lengths are in the picture's own units, about a pixel each. Tips and texts are safe text.
 */
#ifndef REPORT_HTML_SVG_H
#define REPORT_HTML_SVG_H

#include "base/buf.h"

enum {
	SVG_CHAR = 7, /* width of a character of a label, which page.css makes monospaced */
};

void svg_begin(struct buf *b, const char *title, double width, double height);
void svg_end(struct buf *b);
/* A box; its tip is shown to who points at it. */
void svg_box(struct buf *b, const char *class, double x, double y, double width, double height,
	     struct str tip);
void svg_line(struct buf *b, const char *class, double x1, double y1, double x2, double y2);
/* `anchor` is "start", "middle" or "end": which of its points the text has at x. */
void svg_text(struct buf *b, const char *anchor, double x, double y, struct str text);
/* The same, shortened to `width`, the whole of it in a tip. */
void svg_label(struct buf *b, const char *anchor, double x, double y, double width,
	       struct str text);

#endif
