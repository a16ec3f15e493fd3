/* Which step of two runs begins at the same place? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/units.h"

/* B is moved: times of A, and links to them, stay what they are. */
static bool is_after(const struct app *a, const struct track *t)
{
	return t->part->number >= a->traces->first_after;
}

/* The row of steps of a side; NULL: it has none. */
static const struct track *find_steps(const struct app *a, struct timeline_state *s, bool after)
{
	for (size_t i = 0; i < s->set->count; i++) {
		const struct track *t = &s->set->all[i];

		if (t->kind == TRACK_STEPS && is_after(a, t) == after &&
		    track_set_lanes(s->set, i)->count && t->lanes.all[0].count)
			return t;
	}
	return NULL;
}

/* The step that goes on then, or the next; false: there is none. */
static bool find_at(const struct track *t, int64_t at_ns, struct lane_event *ret)
{
	const struct lane *lane = &t->lanes.all[0];
	const size_t at = lane_from(lane, at_ns);

	if (at < lane->count)
		*ret = lane_event(lane, at);
	return at < lane->count;
}

/* The one of that name: numbers of steps need not begin with 0. */
static bool find_named(const struct track *t, struct str name, struct lane_event *ret)
{
	const struct lane *lane = &t->lanes.all[0];

	for (size_t i = 0; i < lane->count; i++) {
		*ret = lane_event(lane, i);
		if (str_eq(track_event_name(t, ret), name))
			return true;
	}
	return false;
}

/* What is selected of B goes with it. */
static void move_after(struct app *a, struct timeline_state *s, int64_t by_ns)
{
	size_t track;

	for (size_t i = a->traces->first_after; i < a->traces->count; i++)
		a->traces->all[i].shift_ns = sat_add(a->traces->all[i].shift_ns, by_ns);
	track_set_move(s->set, a->traces->first_after, by_ns);
	a->limits = traces_span(a->traces);
	span_widen(&a->limits, s->set->limits);
	if (a->selection.kind == SELECTED_EVENT || a->selection.is_gap) {
		if (track_set_find_track(s->set, a->selection.track, &track) &&
		    is_after(a, &s->set->all[track]))
			a->selection.span = span_shift(a->selection.span, by_ns);
	}
	s->last_gap = SPAN_NONE;
}

/* Where they begin together is seen. */
static void show(struct app *a, struct timeline_state *s, int64_t at_ns)
{
	const int64_t length = sat_sub(a->window.end_ns, a->window.start_ns);
	const int64_t start_ns = sat_sub(at_ns, length / 10);

	s->cursor_ns = at_ns;
	if (at_ns < a->window.start_ns || at_ns >= a->window.end_ns)
		app_set_window(a, (struct span){start_ns, sat_add(start_ns, length)});
}

static void tell(struct app *a, struct str step)
{
	const struct capture *before = &a->traces->all[0];
	const struct capture *after = &a->traces->all[a->traces->first_after];
	const int64_t by_ns = sat_sub(after->shift_ns, before->shift_ns);
	SCOPED_BUF by = {0};

	units_add_ns(&by, by_ns < 0 ? -(double)by_ns : (double)by_ns);
	if (by_ns)
		app_say(a, "aligned at %.*s: B %s %s than captured", STR_FMT(step), by.s,
			by_ns > 0 ? "later" : "earlier");
	else
		app_say(a, "aligned at %.*s: as captured", STR_FMT(step));
}

void align_here(struct app *a, struct timeline_state *s)
{
	const struct track *rows[2], *own;
	struct lane_event steps[2];
	struct str name;
	bool after;

	if (!a->traces->first_after || !s->line_count) {
		app_say(a, "two runs can be aligned: gpuwhy timeline A -- B");
		return;
	}
	for (int i = 0; i < 2; i++) {
		rows[i] = find_steps(a, s, i);
		if (!rows[i]) {
			app_say(a, "%s has no steps%s", i ? "B" : "A",
				scene_has_more(&s->scene) ? " yet" : "");
			return;
		}
	}
	after = is_after(a, &s->set->all[s->lines[s->chosen].track]);
	own = rows[after];
	if (!find_at(own, s->cursor_ns, &steps[after])) {
		app_say(a, "%s has no step here", after ? "B" : "A");
		return;
	}
	name = track_event_name(own, &steps[after]);
	if (!find_named(rows[!after], name, &steps[!after])) {
		app_say(a, "%s has no %.*s", after ? "A" : "B", STR_FMT(name));
		return;
	}
	move_after(a, s, sat_sub(steps[0].start_ns, steps[1].start_ns));
	show(a, s, steps[0].start_ns);
	tell(a, name);
}
