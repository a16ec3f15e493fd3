/* Where does a key lead on the timeline: to the next event, gap, hit, the range around? */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"

#include <stdlib.h>

struct lane_event picked_event(const struct timeline_state *s)
{
	return lane_event(&s->set->all[s->picked.track].lanes.all[s->picked.lane], s->picked.at);
}

void choose_line(struct timeline_state *s, size_t line)
{
	/* The chosen track may have more lines than others. */
	s->chosen_lane = s->lines[line];
	lines_list(s);
}

/* A time that is not seen comes into the middle; one that is too long is seen whole. */
static void show_span(struct app *a, struct span x)
{
	const struct span w = a->window;
	const int64_t length = sat_sub(w.end_ns, w.start_ns);
	const int64_t own = sat_sub(x.end_ns, x.start_ns);
	int64_t from;

	if (x.start_ns >= w.start_ns && x.end_ns <= w.end_ns)
		return;
	if (own > length) {
		app_set_window(
			a, (struct span){sat_sub(x.start_ns, own / 8), sat_add(x.end_ns, own / 8)});
		return;
	}
	from = sat_sub(sat_add(x.start_ns, own / 2), length / 2);
	app_set_window(a, (struct span){from, sat_add(from, length)});
}

static enum trace_kind kind_of(const struct timeline_state *s, const struct lane_event *e)
{
	switch (s->set->all[s->picked.track].kind) {
	case TRACK_STREAM:
		return op_id_kind(e->id);
	case TRACK_RANGES:
	case TRACK_SPANS:
	case TRACK_PROJECTED:
		return TRACE_NVTX;
	case TRACK_CALLS:
		return TRACE_API;
	default:
		return TRACE_KINDS;
	}
}

static uint64_t row_of(const struct timeline_state *s, const struct lane_event *e)
{
	const struct track *t = &s->set->all[s->picked.track];

	if (t->kind == TRACK_STREAM)
		return op_id_row(e->id);
	if (t->kind == TRACK_RANGES)
		return t->part->ranges.forest.ranges[e->id].row;
	if (t->kind == TRACK_PROJECTED)
		return t->part->ranges.forest.ranges[span_source_at(t->derived, e->id).of].row;
	return t->kind == TRACK_SPANS ? t->part->spans.forest.ranges[e->id].row : e->id;
}

void show_line(struct timeline_state *s, size_t track, size_t lane)
{
	size_t above;

	s->tracks[track].is_hidden = false;
	for (size_t at = track; (above = track_set_above(s->set, at)) != at; at = above)
		s->tracks[above].is_folded = false;
	s->chosen_lane = (struct line){track, lane};
	lines_list(s);
}

/* It is selected; what is seen stays. */
static void select_event(struct app *a, struct timeline_state *s, struct event_place p)
{
	struct lane_event e;

	s->picked = p;
	s->picked.any = true;
	e = picked_event(s);
	s->cursor_ns = e.start_ns;
	show_line(s, p.track, p.lane);
	a->selection = (struct selection){.kind = kind_of(s, &e) == TRACE_KINDS ? SELECTED_TIME
										: SELECTED_EVENT,
					  .events = kind_of(s, &e),
					  .row = row_of(s, &e),
					  .capture = s->set->all[p.track].part->number,
					  .track = s->set->all[p.track].number,
					  .id = e.id,
					  .span = {e.start_ns, e.end_ns}};
}

void pick_event(struct app *a, struct timeline_state *s, struct event_place p)
{
	select_event(a, s, p);
	show_span(a, a->selection.span);
}

static struct event_place at_line(const struct timeline_state *s, size_t at)
{
	const struct line *l = &s->lines[s->chosen];

	return (struct event_place){true, l->track, l->lane, at};
}

static int say_none(struct app *a, const char *what)
{
	app_say(a, "no %s on this line", what);
	return 0;
}

int pick_neighbour(struct app *a, struct timeline_state *s, int way, struct err *e)
{
	const struct lane *lane;
	size_t at;

	(void)e;
	if (!s->line_count)
		return 0;
	lane = line_lane(s, &s->lines[s->chosen]);
	if (way > 0) {
		at = s->picked.any ? s->picked.at + 1 : lane_from(lane, s->cursor_ns);
		at = lane_next_long(lane, at, lane->count, s->least_ns);
	} else {
		at = s->picked.any ? s->picked.at : lane_begun(lane, s->cursor_ns);
		at = at ? lane_previous_long(lane, 0, at, s->least_ns) : lane->count;
		at = at == (s->picked.any ? s->picked.at : lane_begun(lane, s->cursor_ns))
			     ? lane->count
			     : at;
	}
	if (at >= lane->count)
		return say_none(a, way > 0 ? "later event" : "earlier event");
	pick_event(a, s, at_line(s, at));
	return 0;
}

void pick_at(struct app *a, struct timeline_state *s, int row, int col)
{
	const size_t number = s->top + (size_t)(row - s->area.row - 1);
	const int cell = col - s->area.col - LABEL_COLS;
	const bool in_cells = cell >= 0 && cell < s->cols;
	const struct lane *lane;
	struct line line;
	size_t end, at;

	/* A drag that follows begins here, whatever is here. */
	if (in_cells)
		s->drag_ns = s->cursor_ns = cell_edge(a->window, (size_t)s->cols, (size_t)cell);
	if (row <= s->area.row || number >= s->line_count)
		return;
	line = s->lines[number];
	choose_line(s, number);
	if (!in_cells)
		return;
	lane = line_lane(s, &line);
	end = lane_begun(lane, cell_edge(a->window, (size_t)s->cols, (size_t)cell + 1));
	at = lane_longest(lane, lane_from(lane, s->drag_ns), end);
	if (at < end)
		select_event(a, s, (struct event_place){true, line.track, line.lane, at});
}
