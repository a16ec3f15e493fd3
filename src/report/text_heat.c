/* How does a grid of shades look that is made of characters? */
#include "report/text_parts.h"

#include "base/mem.h"
#include "text/text.h"

#include <math.h>

enum { MOST_ROWS = 16, MOST_LABEL = 24, LEAST_COLUMNS = 10 };

static const char *const marks[CHART_SHADES] = {"·", "▁", "▂", "▃", "▅", "▆", "█"};

static size_t label_width(const struct chart *c)
{
	const size_t widest = chart_widest_part(c);

	return widest < MOST_LABEL ? widest : MOST_LABEL;
}

bool text_shows_heat(const struct chart *c, const struct style *style)
{
	return c->part_count <= MOST_ROWS && c->count &&
	       style->width >= label_width(c) + 2 + LEAST_COLUMNS;
}

/* Of several items in one column the darkest shows. */
static const char *mark_of(const struct chart *c, size_t part, size_t first, size_t last)
{
	size_t darkest = 0;
	bool known = false;

	for (size_t i = first; i < last && i < c->count; i++) {
		const size_t look = c->looks[i * c->part_count + part];

		if (!isfinite(chart_item(c, i)[part]))
			continue;
		known = true;
		darkest = look > darkest ? look : darkest;
	}
	return known ? marks[darkest % CHART_SHADES] : " ";
}

static void add_row(struct buf *b, const struct chart *c, size_t part, size_t merged)
{
	const size_t left = label_width(c);
	SCOPED_BUF name = {0}, brief = {0};

	chart_add_part_name(&name, c, part);
	text_add_elided(&brief, buf_str(&name), left);
	buf_addstr(b, buf_str(&brief));
	buf_addn(b, ' ', left - text_width(buf_str(&brief)) + 2);
	for (size_t i = 0; i < c->count; i += merged)
		buf_adds(b, mark_of(c, part, i, i + merged));
	buf_addc(b, '\n');
}

/* The first column's label, and the last one's below its end. */
static void add_axis(struct buf *b, const struct chart *c, size_t merged)
{
	const size_t columns = (c->count + merged - 1) / merged;
	SCOPED_BUF first = {0}, last = {0};
	size_t taken;

	chart_add_label(&first, c, 0);
	chart_add_label(&last, c, c->count - 1);
	taken = text_width(buf_str(&first)) + text_width(buf_str(&last));
	buf_addn(b, ' ', label_width(c) + 2);
	buf_addstr(b, buf_str(&first));
	if (taken + 2 <= columns) {
		buf_addn(b, ' ', columns - taken);
		buf_addstr(b, buf_str(&last));
	}
	buf_addc(b, '\n');
}

static void add_keys(struct buf *b, const struct chart *c, const struct style *style)
{
	size_t used = 0;

	for (size_t k = 0; k < c->key_count; k++) {
		const size_t width = text_width(str_of(c->keys[k].name)) + 4;

		if (used && used + width > style->width) {
			buf_addc(b, '\n');
			used = 0;
		}
		buf_addf(b, "%s%s %s", used ? "  " : "", marks[k % CHART_SHADES], c->keys[k].name);
		used += width;
	}
	buf_addc(b, '\n');
}

void text_add_heat(struct buf *b, const struct chart *c, const struct style *style)
{
	const size_t room = style->width - label_width(c) - 2;
	const size_t merged = (c->count + room - 1) / room;

	ansi_add(b, style, ANSI_BOLD, str_of(c->title));
	buf_addc(b, '\n');
	for (size_t p = 0; p < c->part_count; p++)
		add_row(b, c, p, merged);
	add_axis(b, c, merged);
	add_keys(b, c, style);
}
