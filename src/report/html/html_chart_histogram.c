/* How do values spread over classes? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"

#include <math.h>

enum { LEFT = 66, RIGHT = 8, TOP = 10, HEIGHT = 170, SLANTED = 60 };

static void add_class(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
		      double x, double width)
{
	double total = chart_item_total(c, item), sum = 0;
	struct buf tip = {0};

	for (size_t p = 0; p < c->part_count; p++) {
		double value = fmax(chart_drawable(chart_item(c, item)[p]), 0);
		double below = axis_at(axis, sum), y;

		sum += value;
		y = axis_at(axis, sum);
		if (value == 0)
			continue;
		buf_clear(&tip);
		chart_add_label(&tip, c, item);
		buf_adds(&tip, " · ");
		chart_add_part_value(&tip, c, p, chart_item(c, item)[p],
				     c->part_count > 1 ? total : 0);
		/* What is there is seen, however little of it. */
		y = fmin(y, below - 1);
		svg_box(b, chart_colour(c, p), x, y, width, below - y, buf_str(&tip));
	}
	buf_free(&tip);
}

/* Labels that do not fit side by side lean. */
static void add_label(struct buf *b, const struct chart *c, size_t item, double x, bool slanted)
{
	struct buf label = {0};

	chart_add_label(&label, c, item);
	if (!slanted) {
		svg_text(b, "middle", x, HEIGHT + TOP + 16, buf_str(&label));
	} else {
		buf_adds(b, "<g transform=\"translate(");
		html_add_number(b, x + 4);
		buf_addf(b, " %d) rotate(-40)\">", HEIGHT + TOP + 14);
		svg_label(b, "end", 0, 0, SLANTED * 1.4, buf_str(&label));
		buf_adds(b, "</g>\n");
	}
	buf_free(&label);
}

void chart_draw_histogram(struct buf *b, const struct chart *c, size_t items, double width)
{
	double slot = (width - LEFT - RIGHT) / (double)items;
	bool slanted = chart_label_width(c, items, slot) >= slot;
	struct axis axis;
	double most = 0;

	for (size_t i = 0; i < items; i++)
		most = fmax(most, chart_item_total(c, i));
	axis = axis_make_round(c->unit, most, TOP + HEIGHT, TOP, 4);
	svg_begin(b, c->title, width, TOP + HEIGHT + (slanted ? SLANTED : CHART_AXIS));
	axis_add_vertical(b, &axis, LEFT, width - RIGHT);
	for (size_t i = 0; i < items; i++) {
		double x = LEFT + (double)i * slot;

		add_class(b, c, i, &axis, x + slot * 0.08, slot * 0.84);
		add_label(b, c, i, x + slot / 2, slanted);
	}
	svg_end(b);
}
