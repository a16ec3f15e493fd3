/* Which step of two runs begins at the same place? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>
#include <string.h>

/* B is moved: times of A, and links to them, stay what they are. */
static bool is_after(const struct app *a, const struct track *t)
{
	return t->part->number >= a->traces->first_after;
}

/* "step 12" */
static uint32_t step_number(const struct track *t, const struct lane_event *e)
{
	return (uint32_t)strtoul(track_event_name(t, e).s + strlen("step "), NULL, 10);
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

/* What the cursor is at: an event that is picked, or a moment. */
static struct span here_span(const struct timeline_state *s)
{
	const struct lane_event e = s->picked.any ? picked_event(s) : (struct lane_event){0};

	if (s->picked.any && s->cursor_ns >= e.start_ns && s->cursor_ns <= e.end_ns)
		return (struct span){e.start_ns, e.end_ns};
	return (struct span){s->cursor_ns, s->cursor_ns};
}

/* The step that it belongs to, or the next; false: there is none. */
static bool find_at(const struct track *t, struct span here, struct lane_event *ret)
{
	const struct lane *lane = &t->lanes.all[0];
	const size_t at = lane_around(lane, here);

	if (at < lane->count)
		*ret = lane_event(lane, at);
	return at < lane->count;
}

/* The one of that number, which need not be counted from 0. */
static bool find_step(const struct track *t, uint32_t number, struct lane_event *ret)
{
	const struct lane *lane = &t->lanes.all[0];

	for (size_t i = 0; i < lane->count; i++) {
		*ret = lane_event(lane, i);
		if (step_number(t, ret) == number)
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

static void tell(struct app *a, uint32_t step)
{
	const struct capture *before = &a->traces->all[0];
	const struct capture *after = &a->traces->all[a->traces->first_after];
	const int64_t by_ns = sat_sub(after->shift_ns, before->shift_ns);
	SCOPED_BUF by = {0};

	units_add_ns(&by, by_ns < 0 ? -(double)by_ns : (double)by_ns);
	if (by_ns)
		app_say(a, "aligned at step %u: B %s %s", step, by.s,
			by_ns > 0 ? "later" : "earlier");
	else
		app_say(a, "aligned at step %u: neither is moved", step);
}

/* false: one of them has no steps, which is said. */
static bool find_both(struct app *a, struct timeline_state *s, const struct track *ret[2])
{
	for (int i = 0; i < 2; i++) {
		ret[i] = find_steps(a, s, i);
		if (!ret[i])
			app_say(a, "%s has no steps%s", i ? "B" : "A",
				scene_has_more(&s->scene) ? " yet" : "");
		if (!ret[i])
			return false;
	}
	return true;
}

/* false: one of them has no such step, which is said. */
static bool align(struct app *a, struct timeline_state *s, const struct track *const rows[2],
		  uint32_t step)
{
	struct lane_event steps[2];

	for (int i = 0; i < 2; i++) {
		if (!find_step(rows[i], step, &steps[i])) {
			app_say(a, "%s has no step %u", i ? "B" : "A", step);
			return false;
		}
	}
	move_after(a, s, sat_sub(steps[0].start_ns, steps[1].start_ns));
	s->is_aligned = true;
	s->step = step;
	tell(a, step);
	return true;
}

void align_here(struct app *a, struct timeline_state *s)
{
	const struct track *rows[2];
	struct lane_event here, before;
	bool after;

	if (!a->traces->first_after || !s->line_count) {
		app_say(a, "two runs can be aligned: gpuwhy timeline A -- B");
		return;
	}
	if (!find_both(a, s, rows))
		return;
	after = is_after(a, &s->set->all[s->lines[s->chosen].track]);
	if (!find_at(rows[after], here_span(s), &here))
		app_say(a, "%s has no step here", after ? "B" : "A");
	else if (align(a, s, rows, step_number(rows[after], &here)) &&
		 find_step(rows[0], s->step, &before))
		show(a, s, before.start_ns);
}

void align_as_linked(struct app *a, struct timeline_state *s)
{
	const struct track *const rows[2] = {find_steps(a, s, false), find_steps(a, s, true)};

	if (!s->awaits_step || !rows[0] || !rows[1])
		return;
	s->awaits_step = false;
	align(a, s, rows, s->step);
}
