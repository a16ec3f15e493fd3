/* How does a bar look that is made of characters? */
#include "report/text_parts.h"

#include "base/mem.h"
#include "report/chart.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>
#include <stdio.h>

enum { MIN_BAR = 10, MAX_BAR = 60, MAX_LABEL = 24, MAX_BARS = 4, BELOW_MAX = 2, SHARE_WIDTH = 8 };

static const char *const shades[] = {"█", "▓", "▒", "░"};
static const char *const shade_colours[] = {"\033[34m", "\033[33m", "\033[35m", ANSI_DIM};

/* What a part means decides its shade, as it does its colour elsewhere. */
static size_t shade_of(const struct chart *c, size_t part)
{
	enum chart_hue hue = c->parts[part].hue;

	return hue == HUE_NEXT ? part : (size_t)hue - HUE_COMPUTE;
}

static double value_of(const struct chart *c, size_t item, size_t part)
{
	return fmax(chart_drawable(chart_item(c, item)[part]), 0);
}

/* Parts that would be 0.0 % of every bar are not spoken of. */
static bool occurs(const struct chart *c, size_t part)
{
	for (size_t i = 0; i < c->count; i++) {
		if (value_of(c, i, part) >= 0.0005 * chart_item_total(c, i) &&
		    value_of(c, i, part) > 0)
			return true;
	}
	return false;
}

static void add_shade(struct buf *b, const struct chart *c, size_t part, size_t times,
		      const struct style *style)
{
	struct buf text = {0};

	for (size_t i = 0; i < times; i++)
		buf_adds(&text, shades[shade_of(c, part)]);
	ansi_add(b, style, shade_colours[shade_of(c, part)], buf_str(&text));
	buf_free(&text);
}

/* Each part ends where it would if characters could be cut: no sum of roundings. */
static void add_bar(struct buf *b, const struct chart *c, size_t item, double most, size_t width,
		    const struct style *style)
{
	double sum = 0;
	size_t done = 0;

	for (size_t p = 0; p < c->part_count; p++) {
		size_t end;

		sum += value_of(c, item, p);
		end = most > 0 ? (size_t)(sum / most * (double)width + 0.5) : 0;
		if (end > done)
			add_shade(b, c, p, end - done, style);
		done = end > done ? end : done;
	}
	buf_addn(b, ' ', width > done ? width - done : 0);
}

static void add_share(struct buf *b, const struct chart *c, size_t item, size_t part)
{
	double total = chart_item_total(c, item);

	units_add_fixed(b, total > 0 ? 100 * value_of(c, item, part) / total : 0, 1);
	buf_addc(b, '%');
}

static size_t widest_share(const struct chart *c, size_t part)
{
	struct buf share = {0};
	size_t widest = 0;

	for (size_t i = 0; i < c->count; i++) {
		buf_clear(&share);
		add_share(&share, c, i, part);
		if (share.len > widest)
			widest = share.len;
	}
	buf_free(&share);
	return widest;
}

/* An entry of a legend; where it would not fit the line, on the next. `used`: of the line. */
static void add_entry(struct buf *b, const struct chart *c, size_t part, struct str value,
		      size_t *used, const struct style *style)
{
	struct buf text = {0};
	size_t width;

	buf_addc(&text, ' ');
	text_add_safe(&text, str_of(c->parts[part].name));
	if (value.len) {
		buf_addn(&text, ' ', 1 + widest_share(c, part) - value.len);
		buf_addstr(&text, value);
	}
	width = 3 + text_width(buf_str(&text));
	if (*used && style->width && *used + width > style->width) {
		buf_addc(b, '\n');
		*used = 0;
	}
	buf_adds(b, "  ");
	add_shade(b, c, part, 1, style);
	buf_addstr(b, buf_str(&text));
	*used += width;
	buf_free(&text);
}

/* Behind so much of the line. */
static void add_legend(struct buf *b, const struct chart *c, size_t item, size_t used,
		       const struct style *style)
{
	for (size_t p = 0; p < c->part_count; p++) {
		struct buf share = {0};

		if (!occurs(c, p))
			continue;
		add_share(&share, c, item, p);
		add_entry(b, c, p, buf_str(&share), &used, style);
		buf_free(&share);
	}
}

/* What shades mean, for all bars. */
static void add_key(struct buf *b, const struct chart *c, const struct style *style)
{
	size_t used = 0;

	for (size_t p = 0; p < c->part_count; p++) {
		if (occurs(c, p))
			add_entry(b, c, p, (struct str){0}, &used, style);
	}
	buf_addc(b, '\n');
}

/* How wide what stands beside a bar is: the same for all. */
static size_t legend_width(const struct chart *c)
{
	const struct style plain = {0};
	struct buf legend = {0};
	size_t width;

	add_legend(&legend, c, 0, 0, &plain);
	width = text_width(buf_str(&legend));
	buf_free(&legend);
	return width;
}

static size_t label_width(const struct chart *c)
{
	size_t widest = chart_widest_label(c, c->count);

	return widest < MAX_LABEL ? widest : MAX_LABEL;
}

/* Whether the legend stands beside the bars; below its bar there is room for that of a few. */
static bool fits_beside(const struct chart *c, const struct style *style)
{
	return style->width >= label_width(c) + 2 + MIN_BAR + legend_width(c);
}

/* Many bars say no more than these: that of them all, and those with the least and the most. */
enum { FOLDED = 3 };

struct folded {
	struct chart chart;
	struct str labels[FOLDED];
	double values[FOLDED * ARRAY_LEN(shades)];
	char all[32];
};

static double first_share(const struct chart *c, size_t item)
{
	const double total = chart_item_total(c, item);

	return total > 0 ? value_of(c, item, 0) / total : 0;
}

static void fold(const struct chart *c, struct folded *f)
{
	size_t least = 0, most = 0, count = 0;

	*f = (struct folded){.chart = *c};
	snprintf(f->all, sizeof(f->all), "all %zu", c->count);
	f->labels[count++] = str_of(f->all);
	for (size_t i = 0; i < c->count; i++) {
		least = first_share(c, i) < first_share(c, least) ? i : least;
		most = first_share(c, i) > first_share(c, most) ? i : most;
		for (size_t p = 0; p < c->part_count; p++)
			f->values[p] += value_of(c, i, p) / (double)c->count;
	}
	for (size_t k = 0; k < 2 && (k == 0 || least != most); k++) {
		const size_t item = k ? most : least;

		for (size_t p = 0; p < c->part_count; p++)
			f->values[count * c->part_count + p] = value_of(c, item, p);
		f->labels[count++] = c->labels[item];
	}
	f->chart.count = count;
	f->chart.labels = f->labels;
	f->chart.values = f->values;
}

static bool is_drawable(const struct chart *c)
{
	return c->kind == CHART_STACK && c->parts && c->part_count <= ARRAY_LEN(shades) &&
	       c->count > 0;
}

static bool has_room(const struct chart *c, const struct style *style)
{
	return fits_beside(c, style) ||
	       (c->count <= BELOW_MAX &&
		style->width >= label_width(c) + 2 + MIN_BAR + SHARE_WIDTH);
}

bool text_shows_chart(const struct chart *c, const struct style *style)
{
	struct folded folded;

	if (c->kind == CHART_HEAT)
		return text_shows_heat(c, style);
	if (!is_drawable(c))
		return false;
	if (c->count <= MAX_BARS)
		return has_room(c, style);
	fold(c, &folded);
	return has_room(&folded.chart, style);
}

static void add_bars(struct buf *b, const struct chart *c, const struct style *style)
{
	const bool beside = fits_beside(c, style);
	size_t left = label_width(c);
	size_t room = style->width - left - 2 -
		      (beside	      ? legend_width(c)
		       : c->count > 1 ? SHARE_WIDTH
				      : 0);
	double most = 0;

	for (size_t i = 0; i < c->count; i++)
		most = fmax(most, chart_item_total(c, i));
	for (size_t i = 0; i < c->count; i++) {
		struct buf label = {0}, brief = {0};

		chart_add_label(&label, c, i);
		text_add_elided(&brief, buf_str(&label), left);
		buf_addstr(b, buf_str(&brief));
		buf_addn(b, ' ', left - text_width(buf_str(&brief)) + 2);
		add_bar(b, c, i, most, room < MAX_BAR ? room : MAX_BAR, style);
		if (beside || c->count == 1) {
			buf_adds(b, beside ? "" : "\n");
			add_legend(b, c, i, 0, style);
		} else {
			buf_adds(b, "  ");
			add_share(b, c, i, 0);
		}
		buf_addc(b, '\n');
		buf_free(&label);
		buf_free(&brief);
	}
	if (!beside && c->count > 1)
		add_key(b, c, style);
}

void text_add_chart(struct buf *b, const struct chart *c, const struct style *style)
{
	struct folded folded;

	if (c->kind == CHART_HEAT) {
		text_add_heat(b, c, style);
		return;
	}
	if (c->count <= MAX_BARS) {
		add_bars(b, c, style);
		return;
	}
	fold(c, &folded);
	add_bars(b, &folded.chart, style);
}
