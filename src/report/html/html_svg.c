/* How are shapes and axes written down? */
#include "report/html/html_svg.h"

#include "base/mem.h"
#include "report/cell_text.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

void svg_attribute(struct buf *b, const char *name, double value)
{
	buf_addc(b, ' ');
	buf_adds(b, name);
	buf_adds(b, "=\"");
	html_add_number(b, value);
	buf_addc(b, '"');
}

void svg_begin(struct buf *b, const char *title, double width, double height)
{
	buf_adds(b, "<svg viewBox=\"0 0 ");
	html_add_number(b, width);
	buf_addc(b, ' ');
	html_add_number(b, height);
	html_add_between(b, "\" role=\"img\" aria-label=\"", title, "\">\n");
}

void svg_end(struct buf *b)
{
	buf_adds(b, "</svg>\n");
}

void svg_tip(struct buf *b, struct str tip)
{
	buf_adds(b, "<title>");
	html_add_brief(b, tip, 400);
	buf_adds(b, "</title>");
}

void svg_box(struct buf *b, const char *class, double x, double y, double width, double height,
	     struct str tip)
{
	buf_addf(b, "<rect class=\"%s\"", class);
	svg_attribute(b, "x", x);
	svg_attribute(b, "y", y);
	svg_attribute(b, "width", width);
	svg_attribute(b, "height", height);
	buf_addc(b, '>');
	svg_tip(b, tip);
	buf_adds(b, "</rect>\n");
}

void svg_line(struct buf *b, const char *class, double x1, double y1, double x2, double y2)
{
	buf_addf(b, "<line class=\"%s\"", class);
	svg_attribute(b, "x1", x1);
	svg_attribute(b, "y1", y1);
	svg_attribute(b, "x2", x2);
	svg_attribute(b, "y2", y2);
	buf_adds(b, "/>\n");
}

static void begin_text(struct buf *b, const char *anchor, double x, double y)
{
	buf_adds(b, "<text");
	if (strcmp(anchor, "start") != 0)
		buf_addf(b, " text-anchor=\"%s\"", anchor);
	svg_attribute(b, "x", x);
	svg_attribute(b, "y", y);
	buf_addc(b, '>');
}

void svg_text(struct buf *b, const char *anchor, double x, double y, struct str text)
{
	begin_text(b, anchor, x, y);
	html_add_escaped(b, text);
	buf_adds(b, "</text>\n");
}

void svg_label(struct buf *b, const char *anchor, double x, double y, double width, struct str text)
{
	size_t columns = width > SVG_CHAR ? (size_t)(width / SVG_CHAR) : 1;

	begin_text(b, anchor, x, y);
	html_add_brief(b, text, columns);
	if (text_width(text) > columns)
		svg_tip(b, text);
	buf_adds(b, "</text>\n");
}

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
	struct buf text = {0};

	if (value == 0) {
		buf_addc(b, '0');
		return;
	}
	cell_add_human(&text, unit, cell_real(value));
	add_without_zeros(b, text.s);
	buf_free(&text);
}

/* Units of times, and how many nanoseconds each is. */
static const struct {
	double ns;
	const char *name;
} times[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}};

/*
 * Three digits do not tell 841.2 ms from 841.4 ms: ticks that are so close have as many as their
 * distance asks for, in the unit of the largest.
 */
static bool add_close_time(struct buf *b, const struct axis *a, double value)
{
	const double most = fmax(fabs(a->from), fabs(a->to));
	size_t i = 0;
	int decimals;

	if (a->unit != UNIT_NS || a->step * 200 > most)
		return false;
	while (i + 1 < ARRAY_LEN(times) && most < times[i].ns)
		i++;
	decimals = (int)ceil(-log10(a->step / times[i].ns) - 1e-9);
	units_add_fixed(b, value / times[i].ns, decimals > 0 ? decimals : 0);
	buf_addf(b, " %s", times[i].name);
	return true;
}

static double first_tick(const struct axis *a)
{
	return ceil(a->from / a->step - 1e-9) * a->step;
}

static double last_value(const struct axis *a)
{
	return a->to + a->step * 1e-6;
}

/* One round value alone gives no scale: the ends do. */
static bool has_scale(const struct axis *a)
{
	return first_tick(a) + a->step <= last_value(a);
}

/* The i-th tick and its text; false after the last. */
static bool tick(const struct axis *a, int i, double *ret_value, struct buf *text)
{
	double value = has_scale(a) ? first_tick(a) + i * a->step : i ? a->to : a->from;

	buf_clear(text);
	if (i >= (has_scale(a) ? MAX_TICKS : 2) || value > last_value(a))
		return false;
	if (!add_close_time(text, a, value))
		axis_add_value(text, a->unit, value);
	*ret_value = value;
	return true;
}

/* A line across the axis at each tick, from one end to the other, and the tick's value, which does
 * not begin before the picture does. */
static void add_ticks(struct buf *b, const struct axis *a, bool horizontal, double from, double to)
{
	struct buf text = {0};
	double value;

	for (int i = 0; tick(a, i, &value, &text); i++) {
		const char *class = value == 0 ? "zero" : "grid";
		const double half = (double)text_width(buf_str(&text)) * SVG_CHAR / 2;
		double at = axis_at(a, value);

		if (horizontal) {
			svg_line(b, class, at, from, at, to);
			svg_text(b, "middle", fmax(at, half), to + 15, buf_str(&text));
		} else {
			svg_line(b, class, from, at, to, at);
			svg_text(b, "end", from - 6, at + 4, buf_str(&text));
		}
	}
	buf_free(&text);
}

void axis_add_horizontal(struct buf *b, const struct axis *a, double y1, double y2)
{
	add_ticks(b, a, true, y1, y2);
}

void axis_add_vertical(struct buf *b, const struct axis *a, double x1, double x2)
{
	add_ticks(b, a, false, x1, x2);
}
