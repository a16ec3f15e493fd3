/* What stands around the picture of a chart, and who draws it? */
#include "report/html/html_chart.h"

#include "base/mem.h"
#include "report/chart.h"
#include "report/html/html_svg.h"
#include "report/html/html_text.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

enum { COLOURS = 16, ABOVE = 16 };

#define LEAST_SHARE 0.002 /* of a bar that is some hundred pixels long */

/* Each colour comes plain and then with each of these over it. */
static const char *const textures[] = {NULL, "v1", "v2", "v3"};

static const struct drawer {
	void (*draw)(struct buf *b, const struct chart *c, size_t items, double width);
	size_t most; /* items that can be told apart */
	bool half;   /* two stand side by side */
} drawers[CHART_KINDS] = {
	[CHART_STACK] = {chart_draw_stack, 64, false},
	[CHART_BARS] = {chart_draw_bars, 40, false},
	[CHART_HISTOGRAM] = {chart_draw_histogram, SIZE_MAX, true},
	[CHART_SERIES] = {chart_draw_series, SIZE_MAX, false},
	[CHART_ICICLE] = {chart_draw_icicle, SIZE_MAX, false},
	[CHART_ROOFLINE] = {chart_draw_roofline, 200, false},
	[CHART_WATERFALL] = {chart_draw_waterfall, SIZE_MAX, false},
	[CHART_DOTS] = {chart_draw_dots, 200, false},
	[CHART_COLUMNS] = {chart_draw_columns, SIZE_MAX, false},
	[CHART_RIBBONS] = {chart_draw_ribbons, SIZE_MAX, false},
	[CHART_HEAT] = {chart_draw_heat, SIZE_MAX, false},
};

/* The drawings of a chart, as classes of page.css. */
static const struct size {
	const char *class;
	double width;
} sizes[] = {{"wide", CHART_WIDTH}, {"middle", CHART_MIDDLE_WIDTH}, {"slim", CHART_SLIM_WIDTH}};
static const struct size half_sizes[] = {{"middle", CHART_HALF_WIDTH}, {"slim", CHART_SLIM_WIDTH}};

static const char *colour_of(enum chart_hue hue, size_t number)
{
	static const char *const hues[] = {
		[HUE_COMPUTE] = "compute", [HUE_COMM] = "comm", [HUE_COPY] = "copy",
		[HUE_IDLE] = "idle",	   [HUE_UP] = "up",	[HUE_DOWN] = "down",
		[HUE_EVEN] = "even",	   [HUE_CUT] = "cold",	[HUE_BAND] = "band",
		[HUE_PLAIN] = "sum",
	};
	static const char *const next[COLOURS] = {"c0",	 "c1",	"c2",  "c3", "c4",  "c5",
						  "c6",	 "c7",	"c8",  "c9", "c10", "c11",
						  "c12", "c13", "c14", "c15"};

	static const char *const shades[CHART_SHADES] = {"h0", "h1", "h2", "h3", "h4", "h5", "h6"};

	if (hue >= HUE_SHADE)
		return shades[(size_t)(hue - HUE_SHADE) % CHART_SHADES];
	return hue == HUE_NEXT ? next[number % COLOURS] : hues[hue];
}

const char *chart_colour(const struct chart *c, size_t part)
{
	return colour_of(c->parts ? c->parts[part].hue : HUE_NEXT, part);
}

const char *chart_key_colour(const struct chart *c, size_t key)
{
	return key < c->key_count ? colour_of(c->keys[key].hue, key) : colour_of(HUE_EVEN, 0);
}

const char *chart_texture(const struct chart *c, size_t part)
{
	if (c->parts && c->parts[part].hue != HUE_NEXT)
		return NULL;
	return textures[part / COLOURS % ARRAY_LEN(textures)];
}

void chart_add_part_value(struct buf *b, const struct chart *c, size_t part, double value,
			  double whole)
{
	if (c->parts) {
		text_add_safe(b, str_of(c->parts[part].name));
		buf_adds(b, ": ");
	}
	chart_add_value(b, c, value);
	if (whole > 0 && isfinite(value)) {
		buf_adds(b, " (");
		units_add_fixed(b, 100 * value / whole, 1);
		buf_adds(b, "%)");
	}
}

double chart_label_width(const struct chart *c, size_t items, double most)
{
	return fmin(most, (double)chart_widest_label(c, items) * SVG_CHAR);
}

struct chart_rows chart_rows_make(double widest, double most, double width)
{
	if (chart_is_slim(width))
		return (struct chart_rows){.above = ABOVE, .width = width};
	return (struct chart_rows){.left = fmin(widest, most * width / CHART_WIDTH) + 12,
				   .width = width};
}

void chart_rows_add_label(struct buf *b, const struct chart_rows *rows, struct str label, double y,
			  double height)
{
	if (rows->above > 0)
		svg_label(b, "start", 4, y + rows->above - 3, rows->width - 4, label);
	else
		svg_label(b, "end", rows->left - 10, y + height / 2 + 4, rows->left - 12, label);
}

static bool has_values(const struct chart *c)
{
	for (size_t i = 0; i < c->count * c->part_count; i++) {
		if (isfinite(c->values[i]))
			return true;
	}
	return false;
}

/* Whether somebody sees it: a line at 0, too, but nothing of a bar that is no pixel wide. */
static bool is_drawn(const struct chart *c, size_t part, size_t item)
{
	const bool bar = c->kind == CHART_STACK || c->stacked;
	const double value = chart_item(c, item)[part];

	if (!isfinite(value) || (value == 0 && c->kind != CHART_SERIES))
		return false;
	return !bar || (value > 0 && value >= LEAST_SHARE * chart_item_total(c, item));
}

/* Parts that are picked are counted by the script: all of them are in the legend. */
static bool is_in_legend(const struct chart *c, size_t part)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->picks || is_drawn(c, part, i))
			return true;
	}
	return false;
}

static void add_legend(struct buf *b, const struct chart *c)
{
	buf_adds(b, "<ul class=\"legend\">");
	for (size_t p = 0; p < c->part_count; p++) {
		const char *texture = chart_texture(c, p);

		if (!is_in_legend(c, p))
			continue;
		buf_addf(b, "<li><i class=\"%s%s%s\"></i>", chart_colour(c, p), texture ? " " : "",
			 texture ? texture : "");
		html_add_text(b, str_of(c->parts[p].name));
		buf_adds(b, "</li>");
	}
	buf_adds(b, "</ul>\n");
}

/* Keys of trees and bands are few; of others those that something looks like. */
static bool is_key_used(const struct chart *c, size_t key)
{
	if (c->kind != CHART_COLUMNS && c->kind != CHART_RIBBONS)
		return true;
	for (size_t i = 0; c->kind == CHART_COLUMNS && i < c->count * c->part_count; i++) {
		if (c->looks[i] == key && isfinite(c->values[i]))
			return true;
	}
	for (size_t i = 0; c->kind == CHART_RIBBONS && i < c->count; i++) {
		if (c->places[i].key == key)
			return true;
	}
	for (size_t i = 0; i < c->ribbon_count; i++) {
		if (c->ribbons[i].key == key)
			return true;
	}
	return false;
}

static void add_keys(struct buf *b, const struct chart *c)
{
	buf_adds(b, "<ul class=\"legend\">");
	for (size_t k = 0; k < c->key_count; k++) {
		if (!is_key_used(c, k))
			continue;
		buf_addf(b, "<li><i class=\"%s\"></i>", chart_key_colour(c, k));
		html_add_text(b, str_of(c->keys[k].name));
		buf_adds(b, "</li>");
	}
	buf_adds(b, "</ul>\n");
}

/* Lanes and rows have their names beside them. */
static bool wants_legend(const struct chart *c)
{
	return c->parts && c->kind < CHART_WATERFALL &&
	       !(c->kind == CHART_SERIES && chart_is_in_lanes(c));
}

static void add_first_of(struct buf *b, size_t shown, size_t all)
{
	if (shown == all)
		return;
	buf_addf(b, " <small>(first %zu of ", shown);
	units_add_count(b, (int64_t)all);
	buf_adds(b, ")</small>");
}

/* A tree has no axis: its width is the sum of its roots. */
static void add_whole(struct buf *b, const struct chart *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (c->parents[i] >= i)
			sum += fmax(chart_drawable(chart_item(c, i)[0]), 0);
	}
	buf_adds(b, " <small>(full width is ");
	chart_add_value(b, c, sum);
	if (c->bold)
		buf_addf(b, "; bold: %s", c->bold_name);
	if (chart_tree_deeper(c)) {
		buf_adds(b, "; not drawn: ");
		units_add_count(b, (int64_t)chart_tree_deeper(c));
		buf_addf(b, " below row %d", CHART_TREE_ROWS);
	}
	buf_adds(b, ")</small>");
}

static bool has_gaps(const struct chart *c)
{
	for (size_t i = 0; i < c->count * c->part_count; i++) {
		if (!isfinite(c->values[i]))
			return true;
	}
	return false;
}

static void add_caption(struct buf *b, const struct chart *c, size_t items)
{
	size_t lanes = c->part_count < CHART_LANES ? c->part_count : CHART_LANES;

	buf_adds(b, "<figcaption>");
	html_add_text(b, str_of(c->title));
	add_first_of(b, items, c->count);
	if (c->kind == CHART_SERIES)
		add_first_of(b, lanes, c->part_count);
	if (c->kind == CHART_COLUMNS)
		add_first_of(b,
			     c->part_count < CHART_COLUMN_ROWS ? c->part_count : CHART_COLUMN_ROWS,
			     c->part_count);
	if (c->kind == CHART_ICICLE)
		add_whole(b, c);
	if (c->kind == CHART_WATERFALL && chart_waterfall_begin(c) > 0) {
		buf_adds(b, " <small>(not from 0: the axis begins at ");
		axis_add_value(b, c->unit, chart_waterfall_begin(c));
		buf_adds(b, ")</small>");
	}
	if (c->kind == CHART_COLUMNS && chart_columns_merged(c, CHART_WIDTH) > 1)
		buf_addf(b, " <small>(a column is the longest of up to %zu)</small>",
			 chart_columns_merged(c, CHART_WIDTH));
	if (c->remark)
		html_add_between(b, " <small>(", c->remark, ")</small>");
	if (c->peaks)
		buf_addf(b, " <small>(mean of each stretch; paler: its highest sample%s)</small>",
			 has_gaps(c) ? "; grey: no sample" : "");
	buf_adds(b, "</figcaption>\n");
}

void html_add_chart(struct buf *b, const struct chart *c, const char *id)
{
	const struct drawer *drawer = &drawers[c->kind];
	const struct size *of = drawer->half ? half_sizes : sizes;
	const size_t count = drawer->half ? ARRAY_LEN(half_sizes) : ARRAY_LEN(sizes);
	size_t items = c->count < drawer->most ? c->count : drawer->most;

	buf_addf(b, "<figure class=\"chart%s\" id=\"%s\"", drawer->half ? " half" : "", id);
	if (c->picks)
		buf_addf(b, " data-picks=\"%s\"", c->picks);
	buf_adds(b, ">\n");
	add_caption(b, c, items);
	if (!has_values(c)) {
		buf_adds(b, "<p class=\"empty\">nothing to show</p>\n");
	} else {
		if (wants_legend(c))
			add_legend(b, c);
		if (c->keys)
			add_keys(b, c);
		for (size_t i = 0; i < count; i++) {
			buf_addf(b, "<div class=\"%s\">\n", of[i].class);
			drawer->draw(b, c, items, of[i].width);
			buf_adds(b, "</div>\n");
		}
	}
	buf_adds(b, "</figure>\n");
}
