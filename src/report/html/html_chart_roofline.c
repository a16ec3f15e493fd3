/* How near do kernels come to what their device can do? */
#include "base/mem.h"
#include "base/sort.h"
#include "report/chart.h"
#include "report/html/html_assets.h"
#include "report/html/html_chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

enum {
	TOP = 18,
	BELOW = 40,
	LINE = 14, /* between names of roofs */
	LARGEST = 24,
	NAMED = 8,    /* most kernels whose names are written beside them */
	DECADES = 16, /* of an axis: what is further out is at its edge */
	TICK_ROOM = 38,
};

struct layout {
	double left, right, height, name_width;
	size_t named;
	bool names_on_roofs; /* there is no room on the right of them */
};

static struct layout layout_make(double width)
{
	if (chart_is_slim(width))
		return (struct layout){.left = 84,
				       .right = 8,
				       .height = 320,
				       .name_width = 98,
				       .named = 5,
				       .names_on_roofs = true};
	return (struct layout){
		.left = 92, .right = 180, .height = 440, .name_width = 168, .named = NAMED};
}

/* A scale of logarithms: whole decades, from a value's power of ten to another's. */
struct scale {
	int from, to;
	double begin, end;
};

static struct scale scale_make(double least, double most, double begin, double end)
{
	struct scale s = {(int)floor(log10(least)), (int)ceil(log10(most)), begin, end};

	if (s.to <= s.from)
		s.to = s.from + 1;
	if (s.to - s.from > DECADES)
		s.from = s.to - DECADES;
	return s;
}

static double scale_at(const struct scale *s, double value)
{
	double share = (log10(value) - s->from) / (s->to - s->from);

	return s->begin + fmin(fmax(share, 0), 1) * (s->end - s->begin);
}

struct plot {
	const struct chart *c;
	size_t items;
	struct scale x, y;
	double width;
	struct layout l;
};

static bool is_drawable(const double *item)
{
	return item[CHART_ROOF_INTENSITY] > 0 && item[CHART_ROOF_FLOPS] > 0 &&
	       isfinite(item[CHART_ROOF_INTENSITY]) && isfinite(item[CHART_ROOF_FLOPS]) &&
	       item[CHART_ROOF_TIME] > 0 && isfinite(item[CHART_ROOF_TIME]);
}

/* All kernels are inside, and where each roof begins. */
static void find_scales(struct plot *p)
{
	const struct chart *c = p->c;
	double left = 1, right = 10, low = INFINITY, high = c->bytes_per_s;

	for (size_t i = 0; i < c->roof_count; i++) {
		high = fmax(high, c->roofs[i].flops_per_s);
		low = fmin(low, c->roofs[i].flops_per_s / 100);
		right = fmax(right, 4 * c->roofs[i].flops_per_s / c->bytes_per_s);
	}
	for (size_t i = 0; i < p->items; i++) {
		const double *item = chart_item(c, i);

		if (!is_drawable(item))
			continue;
		left = fmin(left, item[CHART_ROOF_INTENSITY]);
		right = fmax(right, item[CHART_ROOF_INTENSITY]);
		low = fmin(low, item[CHART_ROOF_FLOPS]);
		high = fmax(high, item[CHART_ROOF_FLOPS]);
	}
	p->x = scale_make(left, right, p->l.left, p->width - p->l.right);
	p->y = scale_make(fmin(low, high), high, TOP + p->l.height, TOP);
}

static void add_grid(struct buf *b, const struct plot *p)
{
	const double bottom = TOP + p->l.height;
	const bool tight = (p->x.end - p->x.begin) / (p->x.to - p->x.from) < TICK_ROOM;
	struct buf text = {0};

	for (int d = p->x.from; d <= p->x.to; d++) {
		double x = scale_at(&p->x, pow(10, d));

		svg_line(b, "grid", x, TOP, x, bottom);
		buf_clear(&text);
		units_add_real(&text, pow(10, d));
		if (!tight || (d - p->x.from) % 2 == 0)
			svg_text(b, "middle", x, bottom + 16, buf_str(&text));
	}
	for (int d = p->y.from; d <= p->y.to; d++) {
		double y = scale_at(&p->y, pow(10, d));

		svg_line(b, "grid", p->x.begin, y, p->x.end, y);
		buf_clear(&text);
		axis_add_value(&text, UNIT_FLOPS_PER_S, pow(10, d));
		svg_text(b, "end", p->x.begin - 6, y + 4, buf_str(&text));
	}
	svg_text(b, "middle", (p->x.begin + p->x.end) / 2, bottom + 34,
		 STR_LIT("operations per byte of DRAM (FLOP/B)"));
	buf_free(&text);
}

/* Up to the highest roof; the name runs along it. */
static void add_slope(struct buf *b, const struct plot *p)
{
	const double rate = p->c->bytes_per_s, bottom = pow(10, p->y.from);
	double from = fmax(pow(10, p->x.from), bottom / rate), to = from, x1, y1, x2, y2;
	struct buf text = {0};

	for (size_t i = 0; i < p->c->roof_count; i++)
		to = fmax(to, p->c->roofs[i].flops_per_s / rate);
	x1 = scale_at(&p->x, from);
	y1 = scale_at(&p->y, from * rate);
	x2 = scale_at(&p->x, to);
	y2 = scale_at(&p->y, to * rate);
	svg_line(b, "roof", x1, y1, x2, y2);
	buf_adds(&text, "DRAM ");
	units_add_rate(&text, rate);
	buf_adds(b, "<g transform=\"translate(");
	html_add_number(b, x1 + (x2 - x1) * 0.3);
	buf_addc(b, ' ');
	html_add_number(b, y1 + (y2 - y1) * 0.3 - 6);
	buf_adds(b, ") rotate(");
	html_add_number(b, atan2(y2 - y1, x2 - x1) * 180 / M_PI);
	buf_adds(b, ")\">");
	svg_text(b, "start", 0, 0, buf_str(&text));
	buf_adds(b, "</g>\n");
	buf_free(&text);
}

static int by_height(const void *a, const void *b, void *ctx)
{
	const struct chart_roof *x = a, *y = b;

	(void)ctx;
	return (x->flops_per_s > y->flops_per_s) - (x->flops_per_s < y->flops_per_s);
}

/* From the lowest on, so that names that are near one another make room upwards. */
static void add_roofs(struct buf *b, const struct plot *p)
{
	struct chart_roof *roofs = mem_alloc(p->c->roof_count, sizeof(*roofs));
	const bool on = p->l.names_on_roofs;
	double free_below = INFINITY, right = p->x.end;
	struct buf text = {0};

	if (p->c->roof_count)
		memcpy(roofs, p->c->roofs, p->c->roof_count * sizeof(*roofs));
	sort_stable(roofs, p->c->roof_count, sizeof(*roofs), by_height, NULL);
	for (size_t i = 0; i < p->c->roof_count; i++) {
		double y = scale_at(&p->y, roofs[i].flops_per_s);

		svg_line(b, "roof", scale_at(&p->x, roofs[i].flops_per_s / p->c->bytes_per_s), y,
			 right, y);
		buf_clear(&text);
		text_add_safe(&text, str_of(roofs[i].name));
		buf_addc(&text, ' ');
		units_add_flops(&text, roofs[i].flops_per_s);
		buf_adds(&text, "/s");
		free_below = fmin(free_below - LINE, on ? y - 4 : y + 4);
		svg_text(b, on ? "end" : "start", on ? right : right + 6, free_below,
			 buf_str(&text));
	}
	buf_free(&text);
	free(roofs);
}

static void add_tip(struct buf *b, const struct plot *p, size_t item)
{
	const double *values = chart_item(p->c, item);
	struct buf tip = {0};

	chart_add_label(&tip, p->c, item);
	buf_adds(&tip, " · ");
	chart_add_value(&tip, p->c, values[CHART_ROOF_TIME]);
	buf_adds(&tip, " · ");
	units_add_flops(&tip, values[CHART_ROOF_FLOPS]);
	buf_adds(&tip, "/s · ");
	units_add_fixed(&tip, values[CHART_ROOF_INTENSITY], 3);
	buf_adds(&tip, " FLOP/B");
	svg_tip(b, buf_str(&tip));
	buf_free(&tip);
}

static double radius_of(const struct plot *p, size_t item, double longest)
{
	return fmax(LARGEST * sqrt(chart_item(p->c, item)[CHART_ROOF_TIME] / longest), 3);
}

static void add_circle(struct buf *b, const struct plot *p, size_t item, double longest)
{
	const double *values = chart_item(p->c, item);

	buf_adds(b, "<circle class=\"kernel c0\"");
	svg_attribute(b, "cx", scale_at(&p->x, values[CHART_ROOF_INTENSITY]));
	svg_attribute(b, "cy", scale_at(&p->y, values[CHART_ROOF_FLOPS]));
	svg_attribute(b, "r", radius_of(p, item, longest));
	buf_addc(b, '>');
	add_tip(b, p, item);
	buf_adds(b, "</circle>\n");
}

static int by_time(const void *a, const void *b, void *ctx)
{
	const struct chart *c = ctx;
	double x = chart_item(c, *(const size_t *)a)[CHART_ROOF_TIME];
	double y = chart_item(c, *(const size_t *)b)[CHART_ROOF_TIME];

	return (x < y) - (x > y);
}

/* The drawable ones, the longest first, so that small circles lie on large ones. */
static size_t *make_order(const struct plot *p, size_t *ret_count)
{
	size_t *order = mem_alloc(p->items, sizeof(*order)), count = 0;

	for (size_t i = 0; i < p->items; i++) {
		if (is_drawable(chart_item(p->c, i)))
			order[count++] = i;
	}
	sort_stable(order, count, sizeof(*order), by_time, (void *)p->c);
	*ret_count = count;
	return order;
}

struct place {
	double x, y;
	bool left; /* of the circle: there is no room on its right */
};

static struct place name_place(const struct plot *p, size_t item, double longest)
{
	const double *values = chart_item(p->c, item);
	double x = scale_at(&p->x, values[CHART_ROOF_INTENSITY]);
	double r = radius_of(p, item, longest) + 4;
	bool left = x + r + p->l.name_width > p->x.end;

	return (struct place){left ? x - r : x + r, scale_at(&p->y, values[CHART_ROOF_FLOPS]) + 4,
			      left};
}

static bool is_free(const struct place *taken, size_t count, const struct place *at, double width)
{
	for (size_t i = 0; i < count; i++) {
		double from = taken[i].left ? taken[i].x - width : taken[i].x;
		double mine = at->left ? at->x - width : at->x;

		if (fabs(taken[i].y - at->y) < LINE && fabs(from - mine) < width)
			return false;
	}
	return true;
}

/* Names that would lie on others are left to who points at the circle. */
static void add_names(struct buf *b, const struct plot *p, const size_t *order, size_t count)
{
	const double longest = count ? chart_item(p->c, order[0])[CHART_ROOF_TIME] : 1;
	struct place taken[NAMED];
	size_t named = 0;
	struct buf label = {0};

	buf_adds(b, "<g class=\"name\">\n");
	for (size_t i = 0; i < count && named < p->l.named; i++) {
		struct place at = name_place(p, order[i], longest);

		if (!is_free(taken, named, &at, p->l.name_width))
			continue;
		taken[named++] = at;
		buf_clear(&label);
		chart_add_label(&label, p->c, order[i]);
		svg_label(b, at.left ? "end" : "start", at.x, at.y, p->l.name_width,
			  buf_str(&label));
	}
	buf_adds(b, "</g>\n");
	buf_free(&label);
}

/* Without a slope, or with other values than those of kernels, there is nothing to draw. */
static bool has_plot(const struct chart *c)
{
	return c->part_count == CHART_ROOF_VALUES && c->bytes_per_s > 0 && isfinite(c->bytes_per_s);
}

static void add_shapes(struct buf *b, const struct chart *c, size_t items, double width)
{
	struct plot p = {
		.c = c, .items = has_plot(c) ? items : 0, .width = width, .l = layout_make(width)};
	size_t count, *order = make_order(&p, &count);

	if (has_plot(c)) {
		find_scales(&p);
		add_grid(b, &p);
		add_slope(b, &p);
		add_roofs(b, &p);
		for (size_t i = 0; i < count; i++)
			add_circle(b, &p, order[i], chart_item(c, order[0])[CHART_ROOF_TIME]);
		add_names(b, &p, order, count);
	}
	free(order);
}

void chart_draw_roofline(struct buf *b, const struct chart *c, size_t items, double width)
{
	svg_begin(b, c->title, width, TOP + layout_make(width).height + BELOW);
	add_shapes(b, c, items, width);
	svg_end(b);
}

void chart_add_roofline_file(struct buf *b, const struct chart *c)
{
	enum { HEADING = 28 };
	const int height = HEADING + TOP + (int)layout_make(CHART_WIDTH).height + BELOW;

	buf_addf(b,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		 "height=\"%d\" role=\"img\">\n<title>",
		 CHART_WIDTH, height, CHART_WIDTH, height);
	html_add_text(b, str_of(c->title));
	buf_addf(b, "</title>\n<style>\n%s</style>\n", html_roofline_style);
	svg_box(b, "paper", 0, 0, CHART_WIDTH, height, STR_LIT(""));
	buf_adds(b, "<g class=\"heading\">");
	svg_label(b, "start", 12, HEADING - 8, CHART_WIDTH - 24, str_of(c->title));
	buf_addf(b, "</g>\n<g transform=\"translate(0 %d)\">\n", HEADING);
	add_shapes(b, c, c->count, CHART_WIDTH);
	buf_adds(b, "</g>\n</svg>\n");
}
