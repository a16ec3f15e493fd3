/* Which changes lead from one sum to another? */
#include "report/chart.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"

#include <math.h>

enum { ROW = 24, BAR = 16, VALUE_WIDTH = 84, TICKS = 6, SLIM_TICKS = 2 };

/* Changes that are small beside their sum are seen where the axis begins near it. */
static const double small_share = 0.5;

static double value_of(const struct chart *c, size_t item)
{
	return chart_drawable(chart_item(c, item)[0]);
}

static bool is_sum(const struct chart *c, size_t item)
{
	return item == 0 || item + 1 == c->count;
}

/* The least and the most that sums come to on their way. */
static void find_ends(const struct chart *c, double *least, double *most)
{
	double sum = 0;

	*least = INFINITY;
	*most = -INFINITY;
	for (size_t i = 0; i < c->count; i++) {
		sum = is_sum(c, i) ? value_of(c, i) : sum + value_of(c, i);
		*least = fmin(*least, sum);
		*most = fmax(*most, sum);
	}
}

double chart_waterfall_begin(const struct chart *c)
{
	double least, most;
	struct axis axis;

	find_ends(c, &least, &most);
	if (!(most > least) || least < small_share * most)
		return 0;
	axis = axis_make(c->unit, 0, most - least, 0, 1, TICKS);
	return fmax(0, (floor(least / axis.step) - 1) * axis.step);
}

static struct axis make_axis(const struct chart *c, const struct chart_rows *rows)
{
	const double begin = chart_waterfall_begin(c);
	double least, most;

	find_ends(c, &least, &most);
	return axis_make(c->unit, begin > 0 ? begin : fmin(least, 0), fmax(most, 0), rows->left,
			 rows->width - VALUE_WIDTH,
			 chart_is_slim(rows->width) ? SLIM_TICKS : TICKS);
}

/* A sum's bar that does not begin at 0 is cut through. */
static void add_break(struct buf *b, const struct axis *axis, double y)
{
	const double x = axis->begin + 9;

	svg_line(b, "cut", x + 4, y - 2, x - 4, y + BAR + 2);
}

static const char *bar_class(const struct chart *c, size_t item, double value)
{
	return is_sum(c, item) ? "sum" : value > 0 ? "up" : value < 0 ? "down" : "even";
}

static void add_bar(struct buf *b, const struct chart *c, size_t item, const struct axis *axis,
		    double sum, double y)
{
	const double value = value_of(c, item), top = y + (ROW - BAR) / 2.0;
	const double x = axis_at(axis, is_sum(c, item) ? axis->from : sum),
		     at = axis_at(axis, is_sum(c, item) ? value : sum + value);
	struct buf tip = {0}, text = {0};

	chart_add_label(&tip, c, item);
	if (value > 0 && !is_sum(c, item))
		buf_addc(&text, '+');
	chart_add_value(&text, c, chart_item(c, item)[0]);
	buf_adds(&tip, ": ");
	buf_addstr(&tip, buf_str(&text));
	svg_box(b, bar_class(c, item, value), fmin(x, at), top, fmax(fabs(at - x), 1), BAR,
		buf_str(&tip));
	if (is_sum(c, item) && axis->from > 0)
		add_break(b, axis, top);
	svg_label(b, "start", fmax(x, at) + 6, y + ROW / 2.0 + 4, VALUE_WIDTH, buf_str(&text));
	buf_free(&tip);
	buf_free(&text);
}

void chart_draw_waterfall(struct buf *b, const struct chart *c, size_t items, double width)
{
	const struct chart_rows rows =
		chart_rows_make(chart_label_width(c, items, CHART_WIDTH), 330, width);
	const double row = ROW + rows.above, height = (double)items * row;
	const struct axis axis = make_axis(c, &rows);
	double sum = 0;

	svg_begin(b, c->title, width, height + CHART_AXIS);
	axis_add_horizontal(b, &axis, 0, height);
	for (size_t i = 0; i < items; i++) {
		const double y = (double)i * row;
		struct buf label = {0};

		chart_add_label(&label, c, i);
		chart_rows_add_label(b, &rows, buf_str(&label), y, ROW);
		add_bar(b, c, i, &axis, sum, y + rows.above);
		sum = is_sum(c, i) ? value_of(c, i) : sum + value_of(c, i);
		if (i + 1 < items)
			svg_line(b, "joint", axis_at(&axis, sum), y + rows.above + ROW - 4.0,
				 axis_at(&axis, sum), y + row + rows.above + 4.0);
		buf_free(&label);
	}
	svg_end(b);
}
