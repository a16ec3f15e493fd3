/* How do numbers that want to be seen get into a report, and what is said of each? */
#include "report/chart.h"

#include "report/cell_text.h"
#include "text/text.h"

#include <math.h>

struct chart *report_new_chart(struct report *r, enum chart_kind kind, const char *title,
			       enum unit unit, size_t count, const struct chart_part *parts,
			       size_t part_count)
{
	struct chart *c = arena_zalloc(&r->arena, 1, sizeof(*c));

	*c = (struct chart){
		.kind = kind,
		.title = title,
		.unit = unit,
		.count = count,
		.part_count = part_count,
		.label_unit = UNIT_NAME,
		.parts = parts,
		.axis_unit = UNIT_TIME_NS,
		.values = arena_zalloc(&r->arena, count * part_count, sizeof(*c->values)),
	};
	if (kind != CHART_SERIES)
		c->labels = arena_zalloc(&r->arena, count, sizeof(*c->labels));
	if (kind == CHART_COLUMNS || kind == CHART_HEAT)
		c->looks = arena_zalloc(&r->arena, count * part_count, sizeof(*c->looks));
	if (kind == CHART_RIBBONS)
		c->places = arena_zalloc(&r->arena, count, sizeof(*c->places));
	if (kind == CHART_ICICLE)
		c->parents = arena_zalloc(&r->arena, count, sizeof(*c->parents));
	report_chart(r, c);
	return c;
}

void chart_add_label(struct buf *b, const struct chart *c, size_t item)
{
	const struct str label = c->labels[item];

	cell_add_human(b, c->label_unit, label.len ? cell_str(label) : cell_null());
}

void chart_add_part_name(struct buf *b, const struct chart *c, size_t part)
{
	if (c->parts)
		text_add_safe(b, str_of(c->parts[part].name));
}

size_t chart_widest_part(const struct chart *c)
{
	SCOPED_BUF name = {0};
	size_t widest = 0;

	for (size_t p = 0; p < c->part_count; p++) {
		buf_clear(&name);
		chart_add_part_name(&name, c, p);
		if (text_width(buf_str(&name)) > widest)
			widest = text_width(buf_str(&name));
	}
	return widest;
}

void chart_add_value(struct buf *b, const struct chart *c, double value)
{
	cell_add_human(b, c->unit, cell_real(value));
}

size_t chart_widest_label(const struct chart *c, size_t items)
{
	struct buf label = {0};
	size_t widest = 0;

	for (size_t i = 0; i < items; i++) {
		buf_clear(&label);
		chart_add_label(&label, c, i);
		if (text_width(buf_str(&label)) > widest)
			widest = text_width(buf_str(&label));
	}
	buf_free(&label);
	return widest;
}

double chart_drawable(double value)
{
	return isfinite(value) ? fmax(fmin(value, 1e18), -1e18) : 0;
}

double chart_item_total(const struct chart *c, size_t item)
{
	double total = 0;

	for (size_t p = 0; p < c->part_count; p++)
		total += fmax(chart_drawable(chart_item(c, item)[p]), 0);
	return total;
}
