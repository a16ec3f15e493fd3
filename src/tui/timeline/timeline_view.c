/* What went on when? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/units.h"
#include "tui/loading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where nobody has chosen a window, all GPU work is seen at first. */
static void settle_window(struct app *a, const struct timeline_state *s)
{
	const struct span all = s->set->limits;
	const bool is_chosen =
		a->window.start_ns != a->limits.start_ns || a->window.end_ns != a->limits.end_ns;

	if (all.end_ns <= all.start_ns || scope_is_part(&a->scope))
		return;
	span_widen(&a->limits, all);
	if (!is_chosen)
		app_set_window(a, all);
}

/* Tracks were added among those that are there: these keep their states. */
static void add_states(struct timeline_state *s, size_t before)
{
	const size_t chosen = s->chosen_lane.track, picked = s->picked.track;
	struct track_state *old = s->tracks;
	size_t at = 0;

	s->tracks = mem_zalloc(s->set->count, sizeof(*s->tracks));
	for (size_t i = 0; i < s->set->count; i++) {
		if (s->set->all[i].number >= before) {
			s->tracks[i].is_folded = track_set_begins_folded(s->set, i);
			timeline_restore_row(s, i);
			continue;
		}
		if (at == chosen)
			s->chosen_lane.track = i;
		if (at == picked)
			s->picked.track = i;
		s->tracks[i] = old[at++];
	}
	free(old);
	lines_list(s);
}

void follow_capture(struct app *a, const struct timeline_state *s)
{
	if (s->line_count)
		app_use_capture(a, s->set->all[s->lines[s->chosen].track].part->number);
}

void go_to_row(struct app *a, struct timeline_state *s)
{
	for (size_t i = 0; a->link.row && i < s->set->count; i++) {
		SCOPED_BUF name = {0};

		track_set_add_name(&name, s->set, i);
		if (strcmp(name.s, a->link.row) != 0)
			continue;
		show_line(s, i, 0);
		link_free(&a->link);
	}
}

static int read_more(struct app *a, void *ctx, struct err *e)
{
	(void)a;
	return scene_read_more(&((struct timeline_state *)ctx)->scene, e);
}

static int more(struct app *a, struct view *v, struct err *e)
{
	struct timeline_state *s = v->state;
	const size_t before = s->set->count;

	if (loading_run_below(a, "more rows", read_more, s, e) < 0)
		app_say_error(a, e);
	add_states(s, before);
	align_as_linked(a, s);
	go_to_row(a, s);
	follow_capture(a, s);
	return scene_has_more(&s->scene);
}

static void close_view(struct app *a, struct view *v)
{
	struct timeline_state *s = v->state;

	(void)a;
	if (!s)
		return;
	hits_free(&s->hits);
	scene_close(&s->scene);
	free(s->kept);
	free(s->tracks);
	free(s->lines);
	free(s->cells);
	free(s);
	v->state = NULL;
}

static int open_view(struct app *a, struct view *v, struct err *e)
{
	struct timeline_state *s = mem_zalloc(1, sizeof(*s));

	v->state = s;
	s->last_gap = SPAN_NONE;
	s->awaits_step = a->link.has_step && a->traces->first_after;
	s->step = a->link.step;
	settings_begin(s);
	if (scene_open(&s->scene, a->traces, a->ncu, e) < 0) {
		close_view(a, v);
		return -1;
	}
	s->set = s->scene.set;
	add_states(s, 0);
	lines_list(s);
	settle_window(a, s);
	go_to_row(a, s);
	follow_capture(a, s);
	s->cursor_ns = a->window.start_ns;
	return 0;
}

static void draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	timeline_draw(a, v->state, c, area);
}

static int search(struct app *a, struct view *v, const char *text, struct err *e)
{
	const int result = timeline_search(a, v->state, text, e);

	follow_capture(a, v->state);
	return result;
}

/* The first row of the capture. */
static void use_capture(struct app *a, struct view *v)
{
	struct timeline_state *s = v->state;

	for (size_t i = 0; i < s->set->part_count; i++) {
		if (s->set->parts[i].number == a->capture)
			show_line(s, track_part_begin(&s->set->parts[i]), 0);
	}
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	const int result = timeline_request(a, v->state, r, k, e);

	follow_capture(a, v->state);
	return result;
}

/* "at 1.2 s: ", where the cursor is elsewhere. */
static void add_selected(struct buf *b, const struct app *a, const struct timeline_state *s,
			 struct span x)
{
	size_t track;

	buf_adds(b, "  ");
	if (a->selection.kind == SELECTED_EVENT || a->selection.is_gap) {
		if (!s->picked.any && s->line_count && a->selection.track != SIZE_MAX &&
		    track_set_find_track(s->set, a->selection.track, &track) &&
		    track != s->lines[s->chosen].track) {
			buf_adds(b, "selected on ");
			track_set_add_name(b, s->set, track);
			buf_adds(b, ": ");
		}
	}
	if (s->cursor_ns < x.start_ns || s->cursor_ns > x.end_ns) {
		buf_adds(b, "selected at ");
		add_time(b, a, s, x.start_ns);
		buf_adds(b, ": ");
	}
	units_add_ns(b, (double)sat_sub(x.end_ns, x.start_ns));
}

/* The cursor, the line, and what is selected. */
static void status(struct app *a, struct view *v, struct buf *b)
{
	struct timeline_state *s = v->state;
	const struct line *l = s->line_count ? &s->lines[s->chosen] : NULL;
	const struct track *t = l ? &s->set->all[l->track] : NULL;

	if (!t)
		return;
	add_time(b, a, s, s->cursor_ns);
	buf_adds(b, "  ");
	track_set_add_name(b, s->set, l->track);
	if (!l->lane && t->lanes.spilt && !track_is_nested(t)) {
		buf_adds(b, " (");
		units_add_count(b, (int64_t)t->lanes.spilt);
		buf_adds(b, " more on lines below)");
	}
	if (a->selection.kind != SELECTED_NONE)
		add_selected(b, a, s, a->selection.span);
	if (a->selection.kind != SELECTED_NONE && a->selection.is_gap)
		buf_adds(b, " gap");
	if (s->picked.any) {
		const struct lane_event e = picked_event(s);

		buf_adds(b, "  ");
		add_event_name(b, s, &s->set->all[s->picked.track], &e);
	}
}

const struct view_kind view_timeline = {
	.name = "timeline",
	.open = open_view,
	.draw = draw,
	.request = request,
	.more = more,
	.status = status,
	.search = search,
	.legend = timeline_legend,
	.arrive = timeline_arrive,
	.use_capture = use_capture,
	.mark = timeline_mark,
	.save = timeline_save,
	.restore = timeline_restore,
	.close = close_view,
};
