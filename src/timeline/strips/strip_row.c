/* Which cells of a row are busy, and what in it is wide enough to be named? */
#include "timeline/strips/strip_row.h"

#include "timeline/cells.h"

_Static_assert((int)STRIP_CLASSES <= (int)LANE_CLASSES, "a class of a strip is one of a lane");

enum { NAMED_PARTS = 12 }; /* what is shorter than so many of these in a window has no room */

void strip_line_begin(struct strip_line *l, struct span window)
{
	*l = (struct strip_line){.window = window, .reached_ns = window.start_ns};
	span_source_begin(&l->spans);
}

void strip_line_add(struct strip_line *l, struct span time, uint8_t class, uint32_t of)
{
	struct span here = span_common(time, l->window);

	if (here.start_ns < l->reached_ns)
		here.start_ns = l->reached_ns;
	if (here.end_ns <= here.start_ns)
		return;
	span_source_add(&l->spans, (struct derived_span){here.start_ns, here.end_ns, of, class});
	l->reached_ns = here.end_ns;
}

int64_t strip_line_busy(const struct strip_line *l)
{
	int64_t ns = 0;

	for (size_t i = 0; i < l->spans.count; i++) {
		const struct derived_span s = span_source_at(&l->spans, i);

		ns = sat_add(ns, sat_sub(s.end_ns, s.start_ns));
	}
	return ns;
}

static void read_cells(const struct lane *lane, struct span window, struct strip_row *ret)
{
	struct cell_time cells[STRIP_CELLS];

	cells_read(lane, window, STRIP_CELLS, cells);
	for (size_t i = 0; i < STRIP_CELLS; i++) {
		ret->cells[i] = (struct strip_cell){0};
		if (cells[i].eighths)
			ret->cells[i] = (struct strip_cell){cells[i].first, cells[i].eighths};
	}
}

static void name_events(const struct strip_line *l, const struct lane *lane, struct strip_row *ret,
			strip_name_fn *name, const void *ctx)
{
	const int64_t least_ns = span_ns(l->window) / NAMED_PARTS + 1;

	for (size_t i = lane_next_long(lane, 0, lane->count, least_ns);
	     i < lane->count && ret->event_count < STRIP_EVENTS;
	     i = lane_next_long(lane, i + 1, lane->count, least_ns)) {
		const struct derived_span s = span_source_at(&l->spans, i);
		const struct str text = name(ctx, s.of);

		if (text.len)
			ret->events[ret->event_count++] =
				(struct strip_event){{s.start_ns, s.end_ns}, text};
	}
}

void strip_line_end(struct strip_line *l, struct strip_row *ret, strip_name_fn *name,
		    const void *ctx)
{
	struct lane lane;

	ret->busy_ns = strip_line_busy(l);
	lane_make(&lane, &l->spans.base, NULL, 0, l->spans.count);
	read_cells(&lane, l->window, ret);
	ret->event_count = 0;
	if (name)
		name_events(l, &lane, ret, name, ctx);
	lane_free(&lane);
	span_source_free(&l->spans);
}
