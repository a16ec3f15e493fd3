/* Which of many things are the largest? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"

#include <math.h>

enum { ROW = 24, BAR = 16, VALUE_WIDTH = 84 };

static void add_bar(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
		    double y)
{
	double value = chart_item(c, item)[0], zero = axis_at(axis, 0);
	double at = axis_at(axis, chart_drawable(value));
	struct buf label = {0}, text = {0};

	chart_add_label(&label, c, item);
	chart_add_value(&text, c, value);
	svg_label(b, "end", axis->begin - 10, y + ROW / 2.0 + 4, axis->begin - 12, buf_str(&label));
	buf_adds(&label, ": ");
	buf_addstr(&label, buf_str(&text));
	svg_box(b, value < 0 ? "c1" : "c0", fmin(at, zero), y + (ROW - BAR) / 2.0, fabs(at - zero),
		BAR, buf_str(&label));
	svg_label(b, "start", fmax(at, zero) + 6, y + ROW / 2.0 + 4, VALUE_WIDTH, buf_str(&text));
	buf_free(&label);
	buf_free(&text);
}

void chart_draw_bars(struct buf *b, const struct chart *c, size_t items)
{
	double left = chart_label_width(c, items, 400) + 12, height = (double)items * ROW;
	double least = 0, most = 0;
	struct axis axis;

	for (size_t i = 0; i < items; i++) {
		least = fmin(least, chart_drawable(chart_item(c, i)[0]));
		most = fmax(most, chart_drawable(chart_item(c, i)[0]));
	}
	axis = axis_make(c->unit, least, most, left, CHART_WIDTH - VALUE_WIDTH, 5);
	svg_begin(b, c->title, CHART_WIDTH, height + CHART_AXIS);
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t i = 0; i < items; i++)
		add_bar(b, c, i, &axis, (double)i * ROW);
	svg_end(b);
}
