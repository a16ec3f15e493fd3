/* What does a key do on the timeline? */
#include "tui/timeline/timeline_view.h"

#include "text/shell_words.h"
#include "text/units.h"
#include "tui/duration.h"
#include "tui/text_box.h"

#include <inttypes.h>
#include <string.h>

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

	app_set_window(a, (struct span){sat_sub(at_ns, sat_of_double((double)before * factor)),
					sat_add(at_ns, sat_of_double((double)after * factor))});
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

/* A number alone is one of microseconds. */
static int ask_least(struct app *a, struct view *v, const char *text, struct err *e)
{
	struct timeline_state *s = v->state;
	const bool is_number = *text && !text[strspn(text, "0123456789.")];
	SCOPED_BUF time = {0};
	SCOPED_BUF shown = {0};

	if (!*text || strcmp(text, "0") == 0) {
		s->least_ns = 0;
		return 0;
	}
	buf_addf(&time, "%s%s", text, is_number ? "us" : "");
	if (duration_parse(time.s, &s->least_ns, e) < 0)
		return -1;
	units_add_ns(&shown, (double)s->least_ns);
	app_say(a, "events shorter than %s are passed over by Tab, and dimmed", shown.s);
	return 0;
}

static int ask_search(struct app *a, struct view *v, const char *text, struct err *e)
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
		s->tracks[i].is_hidden = false;
}

/* With what belongs to it; the line below is chosen then, where there is one. */
static void hide(struct timeline_state *s)
{
	size_t line = s->chosen, track, end;

	if (!s->line_count)
		return;
	track = s->lines[line].track;
	end = track_set_end_of(s->set, track);
	while (line < s->line_count && s->lines[line].track >= track && s->lines[line].track < end)
		line++;
	for (size_t i = track; i < end; i++)
		s->tracks[i].is_hidden = true;
	if (line < s->line_count)
		s->chosen_lane = s->lines[line];
}

/* A track that nothing belongs to is folded into that which it belongs to. */
static void fold(struct timeline_state *s)
{
	size_t track;

	if (!s->line_count)
		return;
	track = s->lines[s->chosen].track;
	if (track_set_end_of(s->set, track) == track + 1)
		track = track_set_above(s->set, track);
	s->tracks[track].is_folded = !s->tracks[track].is_folded;
	s->chosen_lane = (struct line){track, 0};
	lines_list(s);
}

static int64_t cell_ns(const struct app *a, const struct timeline_state *s)
{
	return s->cols > 0 ? window_ns(a) / s->cols + 1 : 1;
}

/* Beyond the window it takes that along. */
static void move_cursor(struct app *a, struct timeline_state *s, int64_t by_ns)
{
	s->cursor_ns = sat_add(s->cursor_ns, by_ns);
	if (s->cursor_ns < a->window.start_ns || s->cursor_ns >= a->window.end_ns)
		pan(a, by_ns);
	if (s->cursor_ns < a->window.start_ns)
		s->cursor_ns = a->window.start_ns;
	if (s->cursor_ns >= a->window.end_ns)
		s->cursor_ns = a->window.end_ns - 1;
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
	case REQUEST_CURSOR_LEFT:
		move_cursor(a, s, -cell_ns(a, s));
		return 0;
	case REQUEST_CURSOR_RIGHT:
		move_cursor(a, s, cell_ns(a, s));
		return 0;
	case REQUEST_TO_FIRST:
		pan(a, sat_sub(a->limits.start_ns, a->window.start_ns));
		s->cursor_ns = a->window.start_ns;
		return 0;
	case REQUEST_TO_LAST:
		pan(a, sat_sub(a->limits.end_ns, a->window.end_ns));
		s->cursor_ns = a->window.end_ns - 1;
		return 0;
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

static void choose_far_line(struct timeline_state *s, int by)
{
	const size_t up = by < 0 ? (size_t)-by : 0, down = by > 0 ? (size_t)by : 0;

	if (!s->line_count)
		return;
	choose_line(s, up > s->chosen				? 0
		       : s->chosen - up + down >= s->line_count ? s->line_count - 1
								: s->chosen - up + down);
}

/* What changes lines. */
static int change_lines(struct timeline_state *s, enum request r)
{
	struct track_state *t = chosen_track(s);

	switch (r) {
	case REQUEST_LINE_UP:
		choose_far_line(s, -1);
		return 0;
	case REQUEST_LINE_DOWN:
		choose_far_line(s, 1);
		return 0;
	case REQUEST_LINES_UP:
		choose_far_line(s, 2 - s->area.rows);
		return 0;
	case REQUEST_LINES_DOWN:
		choose_far_line(s, s->area.rows - 2);
		return 0;
	case REQUEST_PIN:
		if (t)
			t->is_pinned = !t->is_pinned;
		break;
	case REQUEST_HIDE:
		hide(s);
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

/* The options that were given for it, or typed since. */
static void add_scope(struct buf *b, const struct app *a)
{
	const struct scope *s = &a->scope;

	if (s->has_device)
		buf_addf(b, " --device %u", s->device);
	if (s->has_pid)
		buf_addf(b, " --pid %u", s->pid);
	if (s->has_rank)
		buf_addf(b, " --rank %u", s->rank);
	if (s->marker) {
		buf_adds(b, " --marker ");
		word_add_quoted(b, s->marker);
	}
	if (s->has_iteration)
		buf_addf(b, " --iteration %" PRIu64, s->iteration);
	else if (s->has_trim)
		buf_addf(b, " --trim %.9f %.9f", (double)s->from_ns / 1e9, (double)s->to_ns / 1e9);
	if (s->span)
		buf_addf(b, " --span %s",
			 s->span == SPAN_WARM  ? "warm"
			 : s->span == SPAN_GPU ? "gpu"
					       : "all");
	if (a->comm) {
		buf_adds(b, " --comm ");
		word_add_quoted(b, a->comm);
	}
}

static void add_command(struct buf *b, const struct app *a, const char *name, const char *place)
{
	buf_addf(b, "gpuwhy %s", name);
	for (size_t i = 0; i < a->traces->count; i++) {
		buf_adds(b, i && i == a->traces->first_after ? " -- " : " ");
		word_add_quoted(b, a->traces->all[i].trace->path);
	}
	add_scope(b, a);
	buf_adds(b, " --at ");
	word_add_quoted(b, place);
}

/* The command line that leads here, which goes to the clipboard, too; and that of the browser. */
static void tell_place(struct app *a, const struct timeline_state *s)
{
	struct link l = {.window = a->window};
	SCOPED_BUF row = {0};
	SCOPED_BUF place = {0};
	SCOPED_BUF command = {0};
	SCOPED_BUF text = {0};

	if (s->line_count)
		track_set_add_name(&row, s->set, s->lines[s->chosen].track);
	l.row = row.s;
	l.has_selection = a->selection.kind != SELECTED_NONE;
	l.selection = a->selection.span;
	l.has_step = s->is_aligned;
	l.step = s->step;
	link_add(&place, &l);
	add_command(&command, a, "timeline", place.s);
	if (a->terminal->kind->copy)
		a->terminal->kind->copy(a->terminal, buf_str(&command));
	buf_addf(&text, "%s\n\nin a browser\n", command.s);
	add_command(&text, a, "web", place.s);
	buf_addf(&text, "\n\nor behind the URL of a gpuwhy web that runs\n#%s", place.s);
	text_box_show(a, "this place", buf_str(&text));
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
	case REQUEST_LINK:
		tell_place(a, s);
		return 0;
	case REQUEST_ALIGN:
		align_here(a, s);
		return 0;
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

int timeline_request(struct app *a, struct timeline_state *s, enum request r,
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
		app_ask(a, "pass over events shorter than (µs, or 2ms): ", NULL, ask_least);
		return 0;
	case REQUEST_SEARCH:
		app_ask(a, "/", NULL, ask_search);
		return 0;
	case REQUEST_CLOSE:
		timeline_forget_hits(s);
		s->picked.any = s->has_mark = false;
		a->selection.kind = SELECTED_NONE;
		return 0;
	default:
		return 1;
	}
}
