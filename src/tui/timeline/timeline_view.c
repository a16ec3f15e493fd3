/* What went on when? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"
#include "text/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without another window all GPU work is seen at first. */
static void settle_window(struct app *a, const struct timeline_state *s)
{
	const struct span all = s->set->limits;

	if (all.end_ns <= all.start_ns || scope_is_part(&a->scope))
		return;
	span_widen(&a->limits, all);
	app_set_window(a, all);
}

/* Of several captures the outlines are seen first: GPUs and threads without what is below them. */
static bool is_folded_at_first(const struct track_set *set, size_t track)
{
	const struct track *t = &set->all[track];

	return t->part->depth && t->depth == t->part->depth &&
	       track_set_end_of(set, track) > track + 1;
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
			s->tracks[i].is_folded = is_folded_at_first(s->set, i);
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

/* The tracks of GPUs are there in a moment; the others follow, see more(). */
static int read_tracks(struct app *a, struct timeline_state *s, struct err *e)
{
	s->set = track_set_new(a->traces->count);
	for (size_t i = 0; i < a->traces->count; i++) {
		if (a->traces->all[i].is_asked &&
		    track_set_add_capture(s->set, &a->traces->all[i], i, e) < 0)
			return -1;
	}
	add_states(s, 0);
	s->findings = mem_zalloc(s->set->part_count, sizeof(*s->findings));
	s->facts = mem_zalloc(s->set->part_count, sizeof(*s->facts));
	return 0;
}

/* A trace without an answer has none. */
static int read_findings(const struct capture *of, struct track_part *part, struct answer *ret,
			 struct err *e)
{
	if (answer_make(ret, of, "findings", NULL, e) < 0)
		return err_forgive_absent(e);
	track_part_add_findings(part, &ret->report);
	return 0;
}

/* What findings are made of for a moment only is read while there are no calls beside it. */
static int prepare_findings(struct track_part *part, struct err *e)
{
	return analysis_find("findings", false)->prepare(part->trace, e) < 0 ? err_forgive_absent(e)
									     : 0;
}

/* What is read while the first picture is there already, in this order; NULL: the findings. */
static int (*const stages[])(struct track_part *part, struct err *e) = {
	prepare_findings,	  track_part_add_threads,
	track_part_add_steps,	  NULL,
	track_part_add_projected, track_part_add_collectives,
	track_part_add_memory,	  track_part_add_samples,
	track_part_add_counters,
};

/* Views of a single capture show that of the chosen line. */
static void follow_capture(struct app *a, const struct timeline_state *s)
{
	if (s->line_count)
		app_use_capture(a, s->set->all[s->lines[s->chosen].track].part->number);
}

/* One capture after another, so that all have the same rows before any has more. */
static int more(struct app *a, struct view *v, struct err *e)
{
	struct timeline_state *s = v->state;
	const size_t before = s->set->count, parts = s->set->part_count;
	const size_t stage = s->stage / parts, number = s->stage % parts;
	struct track_part *part = &s->set->parts[number];
	int result;

	s->stage++;
	if (stages[stage])
		result = stages[stage](part, e);
	else
		result =
			read_findings(&a->traces->all[part->number], part, &s->findings[number], e);
	if (result < 0)
		return -1;
	/* What is known of events rests on all tracks. */
	facts_close(s->facts[number]);
	s->facts[number] = NULL;
	add_states(s, before);
	follow_capture(a, s);
	return s->stage < ARRAY_LEN(stages) * parts;
}

static void close_view(struct app *a, struct view *v)
{
	struct timeline_state *s = v->state;

	(void)a;
	if (!s)
		return;
	if (s->tracks)
		timeline_forget_hits(s);
	for (size_t i = 0; s->findings && i < s->set->part_count; i++) {
		facts_close(s->facts[i]);
		if (s->findings[i].analysis)
			answer_free(&s->findings[i]);
	}
	if (s->set)
		track_set_free(s->set);
	free(s->findings);
	free(s->facts);
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
	s->hit_count = SIZE_MAX;
	settings_begin(s);
	if (read_tracks(a, s, e) < 0) {
		close_view(a, v);
		return -1;
	}
	lines_list(s);
	settle_window(a, s);
	follow_capture(a, s);
	s->cursor_ns = a->window.start_ns;
	return 0;
}

static void draw(struct app *a, struct view *v, struct canvas *c, struct area area)
{
	timeline_draw(a, v->state, c, area);
}

static int64_t window_ns(const struct app *a)
{
	return sat_sub(a->window.end_ns, a->window.start_ns);
}

static void pan(struct app *a, int64_t by_ns)
{
	app_set_window(a, (struct span){sat_add(a->window.start_ns, by_ns),
					sat_add(a->window.end_ns, by_ns)});
}

/* What is at that moment stays where it is. */
static void zoom(struct app *a, int64_t at_ns, double factor)
{
	const int64_t before = sat_sub(at_ns, a->window.start_ns);
	const int64_t after = sat_sub(a->window.end_ns, at_ns);

	app_set_window(a, (struct span){sat_sub(at_ns, (int64_t)((double)before * factor)),
					sat_add(at_ns, (int64_t)((double)after * factor))});
}

/* The cursor, if it is seen, or the middle. */
static int64_t centre(const struct app *a, const struct timeline_state *s)
{
	if (s->cursor_ns >= a->window.start_ns && s->cursor_ns < a->window.end_ns)
		return s->cursor_ns;
	return a->window.start_ns + window_ns(a) / 2;
}

/* Panning takes the cursor along where it would be left behind. */
static void keep_cursor(const struct app *a, struct timeline_state *s)
{
	if (s->cursor_ns < a->window.start_ns || s->cursor_ns >= a->window.end_ns)
		s->cursor_ns = a->window.start_ns + window_ns(a) / 2;
}

static int fit(struct app *a, struct timeline_state *s)
{
	const struct span x = a->selection.span;
	const int64_t own = sat_sub(x.end_ns, x.start_ns);

	(void)s;
	if (a->selection.kind == SELECTED_NONE) {
		app_say(a, "nothing is selected: Tab selects an event, g a gap");
		return 0;
	}
	app_remember(a);
	app_set_window(
		a, (struct span){sat_sub(x.start_ns, own / 8 + 1), sat_add(x.end_ns, own / 8 + 1)});
	return 0;
}

static int ask_least(struct app *a, struct view *v, const char *text, struct err *e)
{
	struct timeline_state *s = v->state;
	double us;
	char rest;

	if (!*text) {
		s->least_ns = 0;
		return 0;
	}
	if (sscanf(text, "%lf%c", &us, &rest) != 1 || !(us >= 0) || us > 1e15)
		return err_set(e, ERR_USAGE, "'%s' is no number of microseconds", text);
	s->least_ns = (int64_t)(us * 1000);
	app_say(a, "Tab passes over events shorter than %s µs", text);
	return 0;
}

static int search(struct app *a, struct view *v, const char *text, struct err *e)
{
	return timeline_search(a, v->state, text, e);
}

/* The track of the chosen line. */
static struct track_state *chosen_track(struct timeline_state *s)
{
	return s->line_count ? &s->tracks[s->lines[s->chosen].track] : NULL;
}

static void show_all(struct timeline_state *s)
{
	for (size_t i = 0; i < s->set->count; i++)
		s->tracks[i].is_hidden = s->tracks[i].is_folded = false;
}

/* A track that belongs to another is folded with that. */
static void fold(struct timeline_state *s)
{
	size_t track;

	if (!s->line_count)
		return;
	track = s->lines[s->chosen].track;
	while (track && s->set->all[track].depth)
		track--;
	s->tracks[track].is_folded = !s->tracks[track].is_folded;
	s->chosen_lane = (struct line){track, 0};
	lines_list(s);
}

static int move(struct app *a, struct timeline_state *s, enum request r)
{
	switch (r) {
	case REQUEST_PAN_LEFT:
		pan(a, -window_ns(a) / 20 - 1);
		break;
	case REQUEST_PAN_RIGHT:
		pan(a, window_ns(a) / 20 + 1);
		break;
	case REQUEST_PAN_LEFT_MORE:
		pan(a, -window_ns(a) / 4 - 1);
		break;
	case REQUEST_PAN_RIGHT_MORE:
		pan(a, window_ns(a) / 4 + 1);
		break;
	case REQUEST_ZOOM_IN:
		zoom(a, centre(a, s), 0.5);
		break;
	case REQUEST_ZOOM_OUT:
		zoom(a, centre(a, s), 2);
		break;
	case REQUEST_SHOW_ALL:
		app_remember(a);
		app_set_window(a, a->limits);
		break;
	default:
		return 1;
	}
	keep_cursor(a, s);
	return 0;
}

/* What changes lines. */
static int change_lines(struct timeline_state *s, enum request r)
{
	struct track_state *t = chosen_track(s);

	switch (r) {
	case REQUEST_LINE_UP:
		if (s->chosen)
			choose_line(s, s->chosen - 1);
		return 0;
	case REQUEST_LINE_DOWN:
		if (s->chosen + 1 < s->line_count)
			choose_line(s, s->chosen + 1);
		return 0;
	case REQUEST_PIN:
		if (t)
			t->is_pinned = !t->is_pinned;
		break;
	case REQUEST_HIDE:
		if (t)
			t->is_hidden = true;
		break;
	case REQUEST_UNHIDE:
		show_all(s);
		break;
	case REQUEST_FOLD:
		fold(s);
		break;
	default:
		return 1;
	}
	lines_list(s);
	return 0;
}

/* The cursor goes to where what is selected begins, or ends. */
static int go_to_edge(struct app *a, struct timeline_state *s, bool end)
{
	if (a->selection.kind == SELECTED_NONE) {
		app_say(a, "nothing is selected: Tab selects an event, g a gap");
		return 0;
	}
	s->cursor_ns = end ? a->selection.span.end_ns : a->selection.span.start_ns;
	if (s->cursor_ns < a->window.start_ns || s->cursor_ns >= a->window.end_ns)
		pan(a, sat_sub(s->cursor_ns, a->window.start_ns + window_ns(a) / 2));
	return 0;
}

static int pick(struct app *a, struct timeline_state *s, enum request r, struct err *e)
{
	switch (r) {
	case REQUEST_NEXT_EVENT:
		return pick_neighbour(a, s, 1, e);
	case REQUEST_PREVIOUS_EVENT:
		return pick_neighbour(a, s, -1, e);
	case REQUEST_NEXT_GAP:
		return pick_gap(a, s, 1, e);
	case REQUEST_PREVIOUS_GAP:
		return pick_gap(a, s, -1, e);
	case REQUEST_NEXT_HIT:
		return pick_hit(a, s, 1, e);
	case REQUEST_PREVIOUS_HIT:
		return pick_hit(a, s, -1, e);
	case REQUEST_ENCLOSING:
		return pick_enclosing(a, s, e);
	case REQUEST_FOLLOW_LAUNCH:
		return pick_launch(a, s, e);
	case REQUEST_TO_START:
	case REQUEST_TO_END:
		return go_to_edge(a, s, r == REQUEST_TO_END);
	case REQUEST_FIT:
		return fit(a, s);
	case REQUEST_EVIDENCE:
		return evidence_show(a, s, e);
	case REQUEST_EVENT_DETAILS:
		return details_show(a, s, e);
	default:
		return 1;
	}
}

static int use_mouse(struct app *a, struct timeline_state *s, enum request r,
		     const struct key_event *k)
{
	const int cell = k->col - s->area.col - LABEL_COLS;
	const int64_t at_ns = cell >= 0 && cell < s->cols
				      ? cell_edge(a->window, (size_t)s->cols, (size_t)cell)
				      : centre(a, s);

	if (r == REQUEST_SELECT_HERE)
		pick_at(a, s, k->row, k->col);
	else if (r == REQUEST_DRAG || r == REQUEST_DRAG_PAN)
		measure_drag(a, s, k->col, r == REQUEST_DRAG_PAN);
	else if (r == REQUEST_RELEASE)
		s->is_dragged = false;
	else if (r == REQUEST_ZOOM_IN_HERE)
		zoom(a, at_ns, 0.5);
	else if (r == REQUEST_ZOOM_OUT_HERE)
		zoom(a, at_ns, 2);
	else
		return 1;
	return 0;
}

static int do_request(struct app *a, struct timeline_state *s, enum request r,
		      const struct key_event *k, struct err *e)
{
	int result = move(a, s, r);

	if (result > 0)
		result = change_lines(s, r);
	if (result > 0)
		result = pick(a, s, r, e);
	if (result > 0)
		result = use_mouse(a, s, r, k);
	if (result <= 0)
		return result;
	switch (r) {
	case REQUEST_TIMES:
		s->is_relative = !s->is_relative;
		return 0;
	case REQUEST_SETTINGS:
		settings_show(a, s);
		return 0;
	case REQUEST_MEASURE:
		measure_mark(a, s);
		return 0;
	case REQUEST_AREA:
		area_table_show(a);
		return 0;
	case REQUEST_WHOLE_NAMES:
		s->whole_names = !s->whole_names;
		return 0;
	case REQUEST_LEAST:
		app_ask(a, "pass over events shorter than µs: ", NULL, ask_least);
		return 0;
	case REQUEST_SEARCH:
		app_ask(a, "/", NULL, search);
		return 0;
	case REQUEST_CLOSE:
		timeline_forget_hits(s);
		s->picked.any = false;
		a->selection.kind = SELECTED_NONE;
		return 0;
	default:
		return 1;
	}
}

static int request(struct app *a, struct view *v, enum request r, const struct key_event *k,
		   struct err *e)
{
	const int result = do_request(a, v->state, r, k, e);

	follow_capture(a, v->state);
	return result;
}

/* The line, the cursor and what is picked there. */
static void status(struct app *a, struct view *v, struct buf *b)
{
	struct timeline_state *s = v->state;
	const struct line *l = s->line_count ? &s->lines[s->chosen] : NULL;
	const struct track *t = l ? &s->set->all[l->track] : NULL;

	if (!t)
		return;
	add_time(b, a, s, s->cursor_ns);
	buf_addf(b, "  %s", t->label);
	if (!l->lane && t->lanes.spilt && !track_is_nested(t)) {
		buf_adds(b, " (");
		units_add_count(b, (int64_t)t->lanes.spilt);
		buf_adds(b, " overlap)");
	}
	if (s->picked.any) {
		const struct lane_event e = picked_event(s);
		buf_adds(b, "  ");
		units_add_ns(b, (double)sat_sub(e.end_ns, e.start_ns));
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
	.arrive = timeline_arrive,
	.mark = timeline_mark,
	.save = timeline_save,
	.restore = timeline_restore,
	.close = close_view,
};
