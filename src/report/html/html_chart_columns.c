/* How do many values that follow each other compare, row by row? */
#include "base/mem.h"
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"

#include <math.h>
#include <stdlib.h>

enum {
	HEIGHT = 54, /* of the highest column */
	GAP = 12,    /* between two rows */
	NAME = 19,   /* above one */
	MARGIN = 8,
	AXIS_WIDTH = 62,
	TICKS = 2,
};

static const double narrowest = 2; /* where columns would be narrower, several stand in one */
static const double widest = 40;
static const double with_tip = 5; /* what is narrower is drawn without a tip of its own */

/* A row's columns, each the longest of some. */
struct bars {
	double x, width; /* of each */
	size_t merged;
};

static double plot_width(double width)
{
	return width - AXIS_WIDTH - MARGIN;
}

size_t chart_columns_merged(const struct chart *c, double width)
{
	const size_t room = (size_t)(plot_width(width) / narrowest);

	return (c->count + room - 1) / room;
}

/* The item of a column that is the longest; c->count: all are unknown. */
static size_t longest_of(const struct chart *c, size_t part, size_t begin, size_t end)
{
	size_t found = c->count;

	for (size_t i = begin; i < end && i < c->count; i++) {
		const double value = chart_item(c, i)[part];

		if (isfinite(value) && (found == c->count || value > chart_item(c, found)[part]))
			found = i;
	}
	return found;
}

static double most_of(const struct chart *c, size_t parts)
{
	double most = 0;

	for (size_t i = 0; i < c->count; i++) {
		for (size_t p = 0; p < parts; p++)
			most = fmax(most, chart_drawable(chart_item(c, i)[p]));
	}
	return c->cut > 0 ? fmin(most, c->cut) : most;
}

static void add_tip(struct buf *b, const struct chart *c, size_t item, size_t part)
{
	const unsigned char look = c->looks[item * c->part_count + part];

	chart_add_label(b, c, item);
	buf_adds(b, ": ");
	chart_add_value(b, c, chart_item(c, item)[part]);
	if (look < c->key_count) {
		buf_adds(b, " · ");
		text_add_safe(b, str_of(c->keys[look].name));
	}
}

/* A box of a path, which costs a fifth of what a box of its own does. */
static void add_to_path(struct buf *path, double x, double y, double width, double height)
{
	buf_addc(path, 'M');
	html_add_number(path, x);
	buf_addc(path, ' ');
	html_add_number(path, y);
	buf_addc(path, 'h');
	html_add_number(path, width);
	buf_addc(path, 'v');
	html_add_number(path, height);
	buf_addc(path, 'h');
	html_add_number(path, -width);
	buf_addc(path, 'z');
}

static void add_column(struct buf *b, struct buf *paths, const struct chart *c, size_t item,
		       size_t part, const struct axis *axis, const struct bars *bars)
{
	const unsigned char look = c->looks[item * c->part_count + part];
	const double value = chart_drawable(chart_item(c, item)[part]);
	const double y = fmin(axis_at(axis, value), axis->begin - 1);
	const size_t place = item / bars->merged;
	const double x = bars->x + (double)place * bars->width;
	const double air = bars->width >= with_tip ? 1 : 0;

	if (bars->width < with_tip) {
		add_to_path(&paths[look], x, y, bars->width - air, axis->begin - y);
	} else {
		struct buf tip = {0};

		add_tip(&tip, c, item, part);
		svg_box(b, chart_key_colour(c, look), x, y, bars->width - air, axis->begin - y,
			buf_str(&tip));
		buf_free(&tip);
	}
	if (c->cut > 0 && value > c->cut)
		svg_line(b, "cut", x - 1, y + 6, x + bars->width + 1, y + 6);
}

static void add_row(struct buf *b, const struct chart *c, size_t part, const struct axis *axis,
		    const struct bars *bars)
{
	struct buf paths[UINT8_MAX + 1] = {0};

	for (size_t i = 0; i < c->count; i += bars->merged) {
		const size_t item = longest_of(c, part, i, i + bars->merged);

		if (item < c->count)
			add_column(b, paths, c, item, part, axis, bars);
	}
	for (size_t k = 0; k < ARRAY_LEN(paths); k++) {
		if (paths[k].len)
			buf_addf(b, "<path class=\"stacked %s\" d=\"%s\"/>\n",
				 chart_key_colour(c, k), paths[k].s);
		buf_free(&paths[k]);
	}
}

static void add_name(struct buf *b, const struct chart *c, size_t part, double width, double y)
{
	SCOPED_BUF name = {0};

	if (!c->parts)
		return;
	text_add_safe(&name, str_of(c->parts[part].name));
	svg_label(b, "start", AXIS_WIDTH, y, width - AXIS_WIDTH - MARGIN, buf_str(&name));
}

/* Names stand above rows: those of captures are long. */
void chart_draw_columns(struct buf *b, const struct chart *c, size_t items, double width)
{
	const size_t parts = c->part_count < CHART_COLUMN_ROWS ? c->part_count : CHART_COLUMN_ROWS;
	const size_t merged = chart_columns_merged(c, width);
	const double row = HEIGHT + GAP + NAME, most = most_of(c, parts);
	const size_t slots = (items + merged - 1) / merged;
	const double slot = plot_width(width) / (double)slots;
	const struct bars bars = {AXIS_WIDTH, fmin(slot, widest), merged};

	svg_begin(b, c->title, width, (double)parts * row);
	for (size_t p = 0; p < parts; p++) {
		const double y = (double)p * row + NAME;
		const struct axis axis = axis_make_round(c->unit, most, y + HEIGHT, y, TICKS);

		add_name(b, c, p, width, y - 7);
		axis_add_vertical(b, &axis, AXIS_WIDTH, width - MARGIN);
		add_row(b, c, p, &axis, &bars);
	}
	svg_end(b);
}
