/* Which of many things are the largest, and what are they made of? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "text/units.h"

#include <math.h>

enum { ROW = 24, BAR = 16, VALUE_WIDTH = 84 };

static struct chart_rows rows_make(const struct chart *c, size_t items, double most, double width)
{
	return chart_rows_make(chart_label_width(c, items, most * width / CHART_WIDTH), most,
			       width);
}

static void add_bar_label(struct buf *b, const struct chart *c, size_t item,
			  const struct chart_rows *rows, double y, double height)
{
	struct buf label = {0};

	chart_add_label(&label, c, item);
	chart_rows_add_label(b, rows, buf_str(&label), y, height);
	buf_free(&label);
}

static void add_bar(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
		    double y)
{
	double value = chart_item(c, item)[0], zero = axis_at(axis, 0);
	double at = axis_at(axis, chart_drawable(value));
	struct buf label = {0}, text = {0};

	chart_add_label(&label, c, item);
	chart_add_value(&text, c, value);
	buf_adds(&label, ": ");
	buf_addstr(&label, buf_str(&text));
	svg_box(b, value < 0 ? "c1" : "c0", fmin(at, zero), y + (ROW - BAR) / 2.0, fabs(at - zero),
		BAR, buf_str(&label));
	svg_label(b, "start", fmax(at, zero) + 6, y + ROW / 2.0 + 4, VALUE_WIDTH, buf_str(&text));
	buf_free(&label);
	buf_free(&text);
}

void chart_draw_bars(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct chart_rows rows = rows_make(c, items, 400, width);
	const double row = ROW + rows.above, height = (double)items * row;
	double least = 0, most = 0;
	struct axis axis;

	for (size_t i = 0; i < items; i++) {
		least = fmin(least, chart_drawable(chart_item(c, i)[0]));
		most = fmax(most, chart_drawable(chart_item(c, i)[0]));
	}
	axis = axis_make(c->unit, least, most, rows.left, width - VALUE_WIDTH,
			 chart_is_slim(width) ? 2 : 5);
	svg_begin(b, c->title, width, height + CHART_AXIS);
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t i = 0; i < items; i++) {
		add_bar_label(b, c, i, &rows, (double)i * row, ROW);
		add_bar(b, c, i, &axis, (double)i * row + rows.above);
	}
	svg_end(b);
}

/* Bars that are cut into parts: what is each of several wholes made of? */
enum { STACK_ROW = 30, STACK_BAR = 22, MARGIN = 34, SHARE_WIDTH = 46 };

static void add_share(struct buf *b, const char *colour, double x, double y, double share)
{
	struct buf text = {0};

	units_add_fixed(&text, 100 * share, 1);
	buf_addc(&text, '%');
	buf_addf(b, "<g class=\"on %s\">", colour);
	svg_text(b, "middle", x, y, buf_str(&text));
	buf_adds(b, "</g>\n");
	buf_free(&text);
}

static void add_part(struct buf *b, const struct chart *c, size_t item, size_t part, double x,
		     double width, double y)
{
	double value = chart_item(c, item)[part], total = chart_item_total(c, item);
	struct buf tip = {0};

	chart_add_label(&tip, c, item);
	buf_adds(&tip, " · ");
	chart_add_part_value(&tip, c, part, value, total);
	if (c->picks)
		buf_addf(b, "<g data-part=\"%zu\">", part);
	svg_box(b, chart_colour(c, part), x, y, width, STACK_BAR, buf_str(&tip));
	if (chart_texture(c, part))
		svg_line(b, chart_texture(c, part), x, y + STACK_BAR / 2.0, x + width,
			 y + STACK_BAR / 2.0);
	if (c->picks)
		buf_adds(b, "</g>");
	if (width >= SHARE_WIDTH)
		add_share(b, chart_colour(c, part), x + width / 2, y + STACK_BAR / 2.0 + 4,
			  chart_drawable(value) / total);
	buf_free(&tip);
}

static void add_stack(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
		      double y)
{
	double sum = 0;

	for (size_t p = 0; p < c->part_count; p++) {
		double value = fmax(chart_drawable(chart_item(c, item)[p]), 0);
		double x = axis_at(axis, sum);

		sum += value;
		if (value > 0)
			add_part(b, c, item, p, x, axis_at(axis, sum) - x, y);
	}
}

static double longest(const struct chart *c, size_t items)
{
	double most = 0;

	for (size_t i = 0; i < items; i++)
		most = fmax(most, chart_item_total(c, i));
	return most;
}

void chart_draw_stack(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct chart_rows rows = rows_make(c, items, 260, width);
	const double row = STACK_ROW + rows.above, height = (double)items * row;
	struct axis axis = axis_make(c->unit, 0, longest(c, items), rows.left, width - MARGIN,
				     chart_is_slim(width) ? 3 : 6);

	svg_begin(b, c->title, width, height + CHART_AXIS);
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t i = 0; i < items; i++) {
		const double y = (double)i * row;

		add_bar_label(b, c, i, &rows, y, STACK_ROW);
		add_stack(b, c, i, &axis, y + rows.above + (STACK_ROW - STACK_BAR) / 2.0);
	}
	svg_end(b);
}
