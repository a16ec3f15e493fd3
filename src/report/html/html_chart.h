/* Charts as pictures in a page: one file per kind draws it. */
#ifndef REPORT_HTML_CHART_H
#define REPORT_HTML_CHART_H

#include "base/buf.h"
#include "report/chart.h"

enum {
	CHART_WIDTH = 960,
	CHART_MIDDLE_WIDTH = 620, /* for a small window */
	CHART_HALF_WIDTH = 470,	  /* histograms: two fit side by side */
	CHART_SLIM_WIDTH = 360,	  /* for the screen of a phone: labels stand above bars */
	CHART_AXIS = 24,	  /* below a drawing, for the values at its axis */
	CHART_LANES = 32,	  /* parts of a series that are drawn */
	CHART_COLUMN_ROWS = 16,	  /* rows of columns that are */
};

/* A figure with caption and legend. */
void html_add_chart(struct buf *b, const struct chart *c, const char *id);

/*
 * Each draws one kind; a chart without any value does not get there. Only `items` are drawn. A page
 * has each drawing in some widths and shows the one whose text can be read: page.css says which.
 */
void chart_draw_stack(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_bars(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_histogram(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_series(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_roofline(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_icicle(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_waterfall(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_dots(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_columns(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_ribbons(struct buf *b, const struct chart *c, size_t items, double width);
void chart_draw_heat(struct buf *b, const struct chart *c, size_t items, double width);

/* The picture of a roofline as a file of its own, which needs no page around it. */
void chart_add_roofline_file(struct buf *b, const struct chart *c);

static inline bool chart_is_slim(double width)
{
	return width <= CHART_SLIM_WIDTH;
}

/* How many nodes of a tree are too deep to be drawn. */
size_t chart_tree_deeper(const struct chart *c);

/* Whether each part of a series has a drawing of its own. */
bool chart_is_in_lanes(const struct chart *c);

/* What they share. The class that has a part's colour: "compute", "c3". */
const char *chart_colour(const struct chart *c, size_t part);
/* And that of what is drawn over it, where there are more parts than colours; NULL: nothing. */
const char *chart_texture(const struct chart *c, size_t part);
/* Appends "part: value", and its share of `whole` where that is above 0. */
void chart_add_part_value(struct buf *b, const struct chart *c, size_t part, double value,
			  double whole);
/* The class of a key's colour; that of HUE_EVEN where there is no such key. */
const char *chart_key_colour(const struct chart *c, size_t key);
/* How wide the labels of the first items are, at most `most`. */
double chart_label_width(const struct chart *c, size_t items, double most);

/* Rows, each with a label: beside it, or above where a drawing is slim. */
struct chart_rows {
	double left;  /* where they begin */
	double above; /* of each, for its label */
	double width; /* of the drawing */
};

/* `widest` is how wide the labels are, `most` how much of a wide drawing they may take. */
struct chart_rows chart_rows_make(double widest, double most, double width);
/* The label of a row that begins at y and has this height below what is above it. */
void chart_rows_add_label(struct buf *b, const struct chart_rows *rows, struct str label, double y,
			  double height);

/* Below what a waterfall's axis does not begin at 0. */
double chart_waterfall_begin(const struct chart *c);
/* How many columns stand in one. */
size_t chart_columns_merged(const struct chart *c, double width);

#endif
