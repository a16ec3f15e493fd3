/* How does a window of time look on the screen? */
#include "tui/timeline/timeline_view.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "report/kernel_name.h"
#include "text/units.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TICK_COLS = 18, NAME_COLS = 4 };

const char class_letters[LANE_CLASSES + 1] = "#MA~=sGo";

static struct look class_look(uint8_t class)
{
	return (struct look){.ink = (uint8_t)(ROLE_CLASS_0 + class)};
}

void add_time(struct buf *b, const struct app *a, const struct timeline_state *s, int64_t at_ns)
{
	const uint64_t whole = at_ns < 0 ? -(uint64_t)at_ns : (uint64_t)at_ns;

	if (s->is_relative) {
		buf_adds(b, "+");
		units_add_ns(b, (double)sat_sub(at_ns, a->window.start_ns));
		return;
	}
	if (sat_sub(a->window.end_ns, a->window.start_ns) >= 1000000) {
		units_add_time(b, at_ns);
		return;
	}
	/* Of a short window all digits matter. */
	buf_addf(b, "%s%" PRIu64 ".%09" PRIu64 " s", at_ns < 0 ? "-" : "", whole / 1000000000,
		 whole % 1000000000);
}

void add_event_name(struct buf *b, const struct timeline_state *s, const struct track *t,
		    const struct lane_event *e)
{
	track_add_event_name(b, t, e, s->whole_names);
}

/* 1, 2 or 5 with zeros: at least as long as that. */
static int64_t tick_ns(int64_t least)
{
	static const int64_t steps[] = {1, 2, 5};

	for (int64_t ten = 1; ten <= INT64_MAX / 10; ten *= 10) {
		for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
			if (steps[i] * ten >= least)
				return steps[i] * ten;
		}
	}
	return INT64_MAX;
}

static void draw_ruler(struct app *a, struct timeline_state *s, struct canvas *c, struct area area)
{
	const struct span w = a->window;
	const int64_t length = sat_sub(w.end_ns, w.start_ns);
	const int64_t origin = s->is_relative ? w.start_ns : 0;
	const int64_t step = tick_ns(length / s->settings[SETTING_TICKS] + 1);
	int64_t at = origin + (w.start_ns - origin) / step * step;
	int free = 0; /* the first column that has nothing yet */

	canvas_fill(c, (struct area){area.row, area.col, 1, area.cols}, LOOK(ROLE_DIM));
	for (; at < w.end_ns && at <= INT64_MAX - step; at += step) {
		SCOPED_BUF b = {0};
		int col;

		if (at < w.start_ns)
			continue;
		col = (int)cell_at(w, (size_t)area.cols, at);
		buf_adds(&b, c->ascii ? "|" : "│");
		add_time(&b, a, s, at);
		if (col < free)
			continue;
		if (col + TICK_COLS / 2 >= area.cols) {
			canvas_glyph(c, area.row, area.col + col, c->ascii ? '|' : 0x2502,
				     LOOK(ROLE_DIM));
			continue;
		}
		free = col +
		       canvas_put(c, area.row, area.col + col, TICK_COLS - 1, buf_str(&b),
				  LOOK(ROLE_DIM)) +
		       1;
	}
}

static void draw_cell(struct canvas *c, int row, int col, const struct cell_time *t)
{
	struct look look;

	if (!t->eighths)
		return;
	look = class_look(t->first);
	if (c->mono || c->ascii) {
		canvas_glyph(c, row, col,
			     (uint32_t)(t->eighths >= 4 ? class_letters[t->first] : '.'), look);
		return;
	}
	/* A ground would colour idle time, too: where there is none the first class gives way to
	 * it. */
	if (t->eighths == 8 && t->second_eighths) {
		look.ground = (uint8_t)(ROLE_CLASS_0 + t->second);
		canvas_glyph(c, row, col, 0x2588u - t->second_eighths, look);
		return;
	}
	canvas_glyph(c, row, col, 0x2580u + t->eighths, look); /* ▁ to █ */
}

/* How high it is, as a number where there are no blocks. */
static void draw_value(struct canvas *c, int row, int col, const struct cell_time *t)
{
	if (t->eighths)
		canvas_glyph(c, row, col,
			     c->mono || c->ascii ? '0' + (uint32_t)t->eighths
						 : 0x2580u + t->eighths,
			     class_look(t->first));
}

/* A filter leaves what it does not let through in sight, without its colour. */
static bool passes(const struct timeline_state *s, const struct lane_hits *h, size_t at,
		   const struct lane_event *e)
{
	return sat_sub(e->end_ns, e->start_ns) >= s->least_ns && (!h || hits_has(h, at));
}

/* A bar with its name, for an event that is wide enough. */
static void draw_event(const struct app *a, const struct timeline_state *s, const struct line *l,
		       struct canvas *c, struct area area, const struct lane_event *e,
		       bool is_found, bool is_left_out)
{
	const struct span w = a->window;
	const int64_t from = e->start_ns > w.start_ns ? e->start_ns : w.start_ns;
	const int64_t to = e->end_ns < w.end_ns ? e->end_ns : w.end_ns;
	const int begin = (int)cell_at(w, (size_t)area.cols, from);
	const int end = to >= w.end_ns ? area.cols : (int)cell_at(w, (size_t)area.cols, to);
	struct look look = {.ink = ROLE_PLAIN, .ground = (uint8_t)(ROLE_CLASS_0 + e->class)};

	SCOPED_BUF name = {0};

	if (c->mono || c->ascii)
		look = (struct look){.marks = LOOK_REVERSE};
	if (is_found)
		look = (struct look){.ink = ROLE_HIT, .marks = LOOK_REVERSE | LOOK_BOLD};
	if (is_left_out)
		look = LOOK(ROLE_DIM);
	if (end - begin < NAME_COLS)
		return;
	add_event_name(&name, s, &s->set->all[l->track], e);
	canvas_put_padded(c, area.row, area.col + begin, end - begin - 1, buf_str(&name), look);
}

static void draw_names(const struct app *a, const struct timeline_state *s, const struct line *l,
		       struct canvas *c, struct area area)
{
	const struct lane *lane = line_lane(s, l);
	const struct lane_hits *h = line_hits(s, l);
	const struct span w = a->window;
	const int64_t least = sat_sub(w.end_ns, w.start_ns) / area.cols * NAME_COLS;
	const size_t end = lane_begun(lane, w.end_ns);
	size_t i = lane_from(lane, w.start_ns);

	for (; (i = lane_next_long(lane, i, end, least ? least : 1)) < end; i++) {
		const struct lane_event e = lane_event(lane, i);

		draw_event(a, s, l, c, area, &e, h && hits_has(h, i), !passes(s, h, i, &e));
	}
}

/* Whether any of the events of a cell passes. */
static bool cell_passes(const struct timeline_state *s, const struct lane *lane,
			const struct lane_hits *h, size_t begin, size_t end)
{
	if (h) {
		const size_t next = BISECT(0, h->count, k, h->at[k] < begin);

		return next < h->count && h->at[next] < end;
	}
	return lane_next_long(lane, begin, end, s->least_ns) < end;
}

/*
 * Heights stay those of all events: cells without anything that passes the filter lose their
 * colour, and those in which something was found are marked, however little it is.
 */
static void draw_filter(const struct app *a, const struct timeline_state *s, const struct line *l,
			struct canvas *c, struct area area)
{
	const struct lane *lane = line_lane(s, l);
	const struct lane_hits *h = line_hits(s, l);
	size_t begun = lane_begun(lane, a->window.start_ns);

	for (int i = 0; (h || s->least_ns > 0) && i < area.cols; i++) {
		const struct area cell = {area.row, area.col + i, 1, 1};
		const int64_t from_ns = cell_edge(a->window, (size_t)area.cols, (size_t)i);
		const size_t begin =
			begun && lane_event(lane, begun - 1).end_ns > from_ns ? begun - 1 : begun;
		const size_t end = begun + s->cells[i].begun;

		if (begin < end && !cell_passes(s, lane, h, begin, end))
			canvas_tint(c, cell, LOOK(ROLE_DIM));
		else if (h && begin < end)
			canvas_tint(c, cell, (struct look){.ink = ROLE_HIT, .marks = LOOK_BOLD});
		begun = end;
	}
}

static void draw_picked(const struct app *a, const struct timeline_state *s, const struct line *l,
			struct canvas *c, struct area area)
{
	const struct event_place *p = &s->picked;
	struct lane_event e;
	int begin, end;

	if (!p->any || p->track != l->track || p->lane != l->lane)
		return;
	e = picked_event(s);
	if (e.end_ns < a->window.start_ns || e.start_ns >= a->window.end_ns)
		return;
	begin = e.start_ns <= a->window.start_ns
			? 0
			: (int)cell_at(a->window, (size_t)area.cols, e.start_ns);
	end = e.end_ns >= a->window.end_ns ? area.cols - 1
					   : (int)cell_at(a->window, (size_t)area.cols, e.end_ns);
	canvas_tint(c, (struct area){area.row, area.col + begin, 1, end - begin + 1},
		    (struct look){.ink = ROLE_CURSOR, .marks = LOOK_REVERSE | LOOK_BOLD});
}

static void draw_label(const struct timeline_state *s, size_t number, struct canvas *c, int row,
		       int col)
{
	const struct line *l = &s->lines[number];
	const struct track *t = &s->set->all[l->track];
	struct look look = {.ink = t->depth ? ROLE_PLAIN : ROLE_HEAD};
	SCOPED_BUF b = {0};

	if (number == s->chosen)
		look = (struct look){.ink = ROLE_CURSOR, .marks = LOOK_REVERSE};
	buf_addf(&b, "%*s%s", (int)t->depth, "", s->tracks[l->track].is_folded ? "+" : "");
	if (l->lane)
		buf_addf(&b, "  %zu", l->lane + 1);
	else
		buf_adds(&b, t->label);
	canvas_put_padded(c, row, col, LABEL_COLS - 1, buf_str(&b), look);
}

static void draw_line(struct app *a, struct timeline_state *s, size_t number, struct canvas *c,
		      struct area area)
{
	const struct line *l = &s->lines[number];
	const struct lane *lane = line_lane(s, l);
	const struct value_source *values = s->set->all[l->track].values;

	if (values)
		value_cells_read(values, lane, a->window, (size_t)area.cols, s->cells);
	else
		cells_read(lane, a->window, (size_t)area.cols, s->cells);
	for (int i = 0; i < area.cols; i++)
		(values ? draw_value : draw_cell)(c, area.row, area.col + i, &s->cells[i]);
	if (!values) {
		draw_filter(a, s, l, c, area);
		draw_names(a, s, l, c, area);
	}
	draw_picked(a, s, l, c, area);
}

static bool is_plain(struct look l)
{
	return !l.ink && !l.ground && !l.marks;
}

/* A line through what is empty. */
static void draw_moment(const struct app *a, struct canvas *c, struct area area, int64_t at_ns,
			struct look look)
{
	int col;

	if (at_ns < a->window.start_ns || at_ns >= a->window.end_ns)
		return;
	col = area.col + (int)cell_at(a->window, (size_t)area.cols, at_ns);
	for (int row = area.row; row < area.row + area.rows; row++) {
		const struct glyph *g = canvas_at(c, row, col);

		if (g && g->text[0] == ' ' && is_plain(g->look))
			canvas_glyph(c, row, col, c->ascii ? '|' : 0x2502, look);
	}
}

/* The chosen line is among those that are seen. */
static void scroll(struct timeline_state *s, size_t rows)
{
	if (s->chosen < s->top)
		s->top = s->chosen;
	if (s->chosen >= s->top + rows)
		s->top = s->chosen - rows + 1;
	if (s->top + rows > s->line_count)
		s->top = s->line_count > rows ? s->line_count - rows : 0;
}

/* How many lines there are above and below those on the screen. */
static void draw_rest(const struct timeline_state *s, struct canvas *c, struct area area)
{
	const size_t shown = (size_t)area.rows - 1, after = s->top + shown;
	SCOPED_BUF b = {0};

	if (s->top)
		buf_addf(&b, "%s%zu ", c->ascii ? "^" : "↑", s->top);
	if (after < s->line_count)
		buf_addf(&b, "%s%zu", c->ascii ? "v" : "↓", s->line_count - after);
	if (b.len)
		buf_adds(&b, " rows");
	canvas_put(c, area.row, area.col, LABEL_COLS - 1, buf_str(&b), LOOK(ROLE_DIM));
}

void timeline_draw(struct app *a, struct timeline_state *s, struct canvas *c, struct area area)
{
	struct area cells = {area.row, area.col + LABEL_COLS, area.rows, area.cols - LABEL_COLS};

	s->area = area;
	s->cols = cells.cols;
	if (cells.cols < 1 || area.rows < 2)
		return;
	MEM_GROW(s->cells, s->cell_cap, (size_t)cells.cols);
	draw_ruler(a, s, c, cells);
	scroll(s, (size_t)area.rows - 1);
	draw_rest(s, c, area);
	for (size_t i = s->top; i < s->line_count && i < s->top + (size_t)area.rows - 1; i++) {
		cells.row = area.row + 1 + (int)(i - s->top);
		cells.rows = 1;
		draw_label(s, i, c, cells.row, area.col);
		draw_line(a, s, i, c, cells);
	}
	cells.row = area.row + 1;
	cells.rows = area.rows - 1;
	draw_moment(a, c, cells, s->cursor_ns, LOOK(ROLE_CURSOR));
	if (s->has_mark)
		draw_moment(a, c, cells, s->mark_ns, LOOK(ROLE_HIT));
}
