/* How do numbers that want to be seen get into a report, and what is said of each? */
#include "report/chart.h"

#include "report/cells.h"

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
	if (kind == CHART_ICICLE)
		c->parents = arena_zalloc(&r->arena, count, sizeof(*c->parents));
	report_chart(r, c);
	return c;
}

void chart_add_label(struct buf *b, const struct chart *c, size_t item)
{
	const struct column column = {.unit = c->label_unit};
	const struct str label = c->labels[item];
	const struct cell cell = label.len ? cell_str(label) : cell_null();

	cell_add_human(b, &column, &cell);
}

void chart_add_value(struct buf *b, const struct chart *c, double value)
{
	const struct column column = {.unit = c->unit};
	const struct cell cell = cell_real(value);

	cell_add_human(b, &column, &cell);
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
