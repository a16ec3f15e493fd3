/* What is each of several wholes made of? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "text/units.h"

#include <math.h>

enum { ROW = 30, BAR = 22, MARGIN = 34, SHARE_WIDTH = 46 };

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
	svg_box(b, chart_colour(c, part), x, y, width, BAR, buf_str(&tip));
	if (chart_texture(c, part))
		svg_line(b, chart_texture(c, part), x, y + BAR / 2.0, x + width, y + BAR / 2.0);
	if (c->picks)
		buf_adds(b, "</g>");
	if (width >= SHARE_WIDTH)
		add_share(b, chart_colour(c, part), x + width / 2, y + BAR / 2.0 + 4,
			  chart_drawable(value) / total);
	buf_free(&tip);
}

static void add_bar(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
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

void chart_draw_stack(struct buf *b, const struct chart *c, size_t items)
{
	double left = chart_label_width(c, items, 260) + 12, height = (double)items * ROW;
	struct axis axis = axis_make(c->unit, 0, longest(c, items), left, CHART_WIDTH - MARGIN, 6);
	struct buf label = {0};

	svg_begin(b, c->title, CHART_WIDTH, height + CHART_AXIS);
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t i = 0; i < items; i++) {
		double y = (double)i * ROW;

		buf_clear(&label);
		chart_add_label(&label, c, i);
		svg_label(b, "end", left - 10, y + ROW / 2.0 + 4, left - 12, buf_str(&label));
		add_bar(b, c, i, &axis, y + (ROW - BAR) / 2.0);
	}
	svg_end(b);
	buf_free(&label);
}
