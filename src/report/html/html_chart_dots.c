/* Where do single values lie, and within what? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"

#include <math.h>

enum { ROW = 30, RADIUS = 5, MARGIN = 24, TICKS = 6, SLIM_TICKS = 3 };

static const double air = 0.06; /* of the axis, on either side */

static void widen(double value, double *least, double *most)
{
	if (!isfinite(value))
		return;
	*least = fmin(*least, chart_drawable(value));
	*most = fmax(*most, chart_drawable(value));
}

static struct axis make_axis(const struct chart *c, size_t items, const struct chart_rows *rows)
{
	double least = INFINITY, most = -INFINITY, wider;

	for (size_t i = 0; i < items * c->part_count; i++)
		widen(c->values[i], &least, &most);
	for (size_t i = 0; i < c->band_count; i++) {
		widen(c->bands[i].from, &least, &most);
		widen(c->bands[i].to, &least, &most);
	}
	wider = fmax(air * (most - least), 1);
	return axis_make(c->unit, least >= 0 ? fmax(least - wider, 0) : least - wider, most + wider,
			 rows->left, rows->width - MARGIN,
			 chart_is_slim(rows->width) ? SLIM_TICKS : TICKS);
}

static const char *row_name(const struct chart *c, size_t row)
{
	return c->parts ? c->parts[row].name : "";
}

/* What the rows are called, those of bands too. */
static double widest_name(const struct chart *c)
{
	size_t widest = 0;

	for (size_t p = 0; p < c->part_count; p++)
		widest = fmax((double)widest, (double)text_width(str_of(row_name(c, p))));
	for (size_t i = 0; i < c->band_count; i++) {
		if (!c->bands[i].behind)
			widest = fmax((double)widest, (double)text_width(str_of(c->bands[i].name)));
	}
	return (double)widest * SVG_CHAR;
}

static void add_tip(struct buf *b, const struct chart *c, const struct chart_band *band)
{
	text_add_safe(b, str_of(band->name));
	buf_adds(b, ": ");
	chart_add_value(b, c, band->from);
	buf_adds(b, " to ");
	chart_add_value(b, c, band->to);
}

static void add_band(struct buf *b, const struct chart *c, const struct chart_band *band,
		     const struct axis *axis, double y, double height)
{
	const double x = axis_at(axis, band->from), at = axis_at(axis, band->to);
	struct buf tip = {0};

	if (!isfinite(band->from) || !isfinite(band->to))
		return;
	add_tip(&tip, c, band);
	svg_box(b, band->behind ? "band" : "sum", x, y, fmax(at - x, 1), height, buf_str(&tip));
	if (!band->behind) {
		svg_line(b, "end", x, y - 5, x, y + height + 5);
		svg_line(b, "end", at, y - 5, at, y + height + 5);
	}
	buf_free(&tip);
}

static void add_dot(struct buf *b, const struct chart *c, size_t item, size_t part,
		    const struct axis *axis, double y)
{
	const double value = chart_item(c, item)[part];
	struct buf tip = {0};

	if (!isfinite(value))
		return;
	chart_add_label(&tip, c, item);
	buf_adds(&tip, ": ");
	chart_add_value(&tip, c, value);
	buf_addf(b, "<circle class=\"kernel %s\"", chart_colour(c, part));
	svg_attribute(b, "cx", axis_at(axis, chart_drawable(value)));
	svg_attribute(b, "cy", y);
	svg_attribute(b, "r", RADIUS);
	buf_addc(b, '>');
	svg_tip(b, buf_str(&tip));
	buf_adds(b, "</circle>\n");
	buf_free(&tip);
}

static size_t count_rows(const struct chart *c)
{
	size_t rows = c->part_count;

	for (size_t i = 0; i < c->band_count; i++)
		rows += !c->bands[i].behind;
	return rows;
}

static void add_label(struct buf *b, const struct chart_rows *rows, const char *name, double y)
{
	SCOPED_BUF safe = {0};

	text_add_safe(&safe, str_of(name));
	chart_rows_add_label(b, rows, buf_str(&safe), y, ROW);
}

void chart_draw_dots(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct chart_rows rows = chart_rows_make(widest_name(c), 330, width);
	const double row = ROW + rows.above, height = (double)count_rows(c) * row;
	const struct axis axis = make_axis(c, items, &rows);
	double y = 0;

	svg_begin(b, c->title, width, height + CHART_AXIS);
	for (size_t i = 0; i < c->band_count; i++) {
		if (c->bands[i].behind)
			add_band(b, c, &c->bands[i], &axis, 0, height);
	}
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t p = 0; p < c->part_count; p++, y += row) {
		add_label(b, &rows, row_name(c, p), y);
		for (size_t i = 0; i < items; i++)
			add_dot(b, c, i, p, &axis, y + rows.above + ROW / 2.0);
	}
	for (size_t i = 0; i < c->band_count; i++) {
		if (c->bands[i].behind)
			continue;
		add_label(b, &rows, c->bands[i].name, y);
		add_band(b, c, &c->bands[i], &axis, y + rows.above + ROW / 2.0 - 2, 4);
		y += row;
	}
	svg_end(b);
}
