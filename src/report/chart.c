/* How do numbers that want to be seen get into a report? */
#include "report/chart.h"

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
