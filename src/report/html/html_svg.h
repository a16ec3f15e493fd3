/*
 * What charts are drawn with: shapes of an SVG picture. Colours and fonts are classes of page.css;
 * lengths are in the picture's own units, about a pixel each. Tips and texts are safe text.
 */
#ifndef REPORT_HTML_SVG_H
#define REPORT_HTML_SVG_H

#include "base/buf.h"
#include "report/report.h"

enum {
	SVG_CHAR = 7, /* width of a character of a label, which page.css makes monospaced */
};

void svg_begin(struct buf *b, const char *title, double width, double height);
void svg_end(struct buf *b);
/* Of an element that is being begun: x="1.5"; and in one, what is shown to who points at it. */
void svg_attribute(struct buf *b, const char *name, double value);
void svg_tip(struct buf *b, struct str tip);
/* A box; its tip is shown to who points at it. */
void svg_box(struct buf *b, const char *class, double x, double y, double width, double height,
	     struct str tip);
void svg_line(struct buf *b, const char *class, double x1, double y1, double x2, double y2);
/* `anchor` is "start", "middle" or "end": which of its points the text has at x. */
void svg_text(struct buf *b, const char *anchor, double x, double y, struct str text);
/* The same, shortened to `width`, the whole of it in a tip. */
void svg_label(struct buf *b, const char *anchor, double x, double y, double width,
	       struct str text);

/* An axis of a chart: from values to places, with ticks at round values. */
struct axis {
	enum unit unit;
	double from, to;   /* values at its ends; from < to */
	double begin, end; /* their places */
	double step;	   /* between ticks */
};

/* `ticks` is about how many there are. */
struct axis axis_make(enum unit unit, double from, double to, double begin, double end, int ticks);
/* The same, whose upper end is a tick. */
struct axis axis_make_round(enum unit unit, double to, double begin, double end, int ticks);
/* Where a value is; what lies outside is at the nearer end. */
double axis_at(const struct axis *a, double value);
/* A round value as it stands at a tick: 1 µs, not 1.00 µs. */
void axis_add_value(struct buf *b, enum unit unit, double value);
/* A line across at each tick, from y1 to y2, and its value below. */
void axis_add_horizontal(struct buf *b, const struct axis *a, double y1, double y2);
/* A line across at each tick, from x1 to x2, and its value on the left. */
void axis_add_vertical(struct buf *b, const struct axis *a, double x1, double x2);

#endif
