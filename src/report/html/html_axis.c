/* Which values stand at an axis, and where? */
#include "report/html/html_axis.h"

#include "report/cells.h"
#include "report/html/html_svg.h"

#include <math.h>

enum { MAX_TICKS = 20 };

/* 1, 2 or 5 times a power of ten. */
static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough))), times = rough / power;

	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static bool is_whole(enum unit unit)
{
	return unit == UNIT_COUNT || unit == UNIT_ID || unit == UNIT_NS || unit == UNIT_BYTES;
}

struct axis axis_make(enum unit unit, double from, double to, double begin, double end, int ticks)
{
	struct axis a = {.unit = unit, .from = from, .to = to, .begin = begin, .end = end};

	/* So close that nothing lies between them, or nothing at all. */
	if (!(to - from > fabs(from) * 1e-12))
		a.to = from + fmax(fabs(from) * 1e-9, 1);
	a.step = round_step((a.to - a.from) / ticks);
	if (is_whole(unit) && a.step < 1)
		a.step = 1;
	return a;
}

struct axis axis_make_round(enum unit unit, double to, double begin, double end, int ticks)
{
	struct axis a = axis_make(unit, 0, to, begin, end, ticks);

	a.to = ceil(a.to / a.step - 1e-9) * a.step;
	return a;
}

double axis_at(const struct axis *a, double value)
{
	double part = (value - a->from) / (a->to - a->from);

	return a->begin + fmax(0, fmin(1, part)) * (a->end - a->begin);
}

/* Drops the zeros at the end of a fraction: they say nothing at a tick. */
static void add_without_zeros(struct buf *b, const char *text)
{
	const char *point = strchr(text, '.');
	size_t digits = point ? strspn(point + 1, "0123456789") : 0, kept = digits;

	if (!point) {
		buf_adds(b, text);
		return;
	}
	while (kept && point[kept] == '0')
		kept--;
	buf_add(b, text, (size_t)(point - text) + (kept ? kept + 1 : 0));
	buf_adds(b, point + 1 + digits);
}

void axis_add_value(struct buf *b, enum unit unit, double value)
{
	const struct column column = {.unit = unit};
	const struct cell cell = cell_real(value);
	struct buf text = {0};

	if (value == 0) {
		buf_addc(b, '0');
		return;
	}
	cell_add_human(&text, &column, &cell);
	add_without_zeros(b, text.s);
	buf_free(&text);
}

/* The i-th tick and its text; false after the last. */
static bool tick(const struct axis *a, int i, double *ret_value, struct buf *text)
{
	double value = (ceil(a->from / a->step - 1e-9) + i) * a->step;

	buf_clear(text);
	if (i >= MAX_TICKS || value > a->to + a->step * 1e-6)
		return false;
	axis_add_value(text, a->unit, value);
	*ret_value = value;
	return true;
}

void axis_add_horizontal(struct buf *b, const struct axis *a, double y1, double y2)
{
	struct buf text = {0};
	double value;

	for (int i = 0; tick(a, i, &value, &text); i++) {
		double x = axis_at(a, value);

		svg_line(b, value == 0 ? "zero" : "grid", x, y1, x, y2);
		svg_text(b, "middle", x, y2 + 15, buf_str(&text));
	}
	buf_free(&text);
}

void axis_add_vertical(struct buf *b, const struct axis *a, double x1, double x2)
{
	struct buf text = {0};
	double value;

	for (int i = 0; tick(a, i, &value, &text); i++) {
		double y = axis_at(a, value);

		svg_line(b, value == 0 ? "zero" : "grid", x1, y, x2, y);
		svg_text(b, "end", x1 - 6, y + 4, buf_str(&text));
	}
	buf_free(&text);
}
