/* What does a chart say of one of its items? */
#include "report/chart_text.h"

#include "report/cells.h"

#include <math.h>

void chart_add_label(struct buf *b, const struct chart *c, size_t item)
{
	const struct column column = {.unit = c->label_unit};
	const struct str label = c->labels[item];
	const struct cell cell = label.len ? cell_str(label) : cell_null();

	cell_add_people(b, &column, &cell);
}

void chart_add_value(struct buf *b, const struct chart *c, double value)
{
	const struct column column = {.unit = c->unit};
	const struct cell cell = cell_real(value);

	cell_add_people(b, &column, &cell);
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
