/* Where on the timeline is what other views, bookmarks and the last session speak of? */
#include "tui/timeline/timeline_view.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On its row, or on any stream where a view knows the op alone. */
static bool find_selected(struct timeline_state *s, const struct selection *x,
			  struct event_place *ret)
{
	size_t track;

	*ret = (struct event_place){0};
	if (x->track != SIZE_MAX) {
		if (track_set_find_track(s->set, x->track, &track))
			*ret = scene_find(&s->scene, track, x->id, x->span.start_ns);
		return ret->any;
	}
	for (size_t i = 0; i < s->set->count && !ret->any; i++) {
		const struct track *t = &s->set->all[i];

		if (t->kind == TRACK_STREAM && t->part->number == x->capture)
			*ret = scene_find(&s->scene, i, op_id(x->events, x->row), x->span.start_ns);
	}
	return ret->any;
}

static bool is_meant(const struct track *t, struct lane_event e, const struct selection *x)
{
	if (e.start_ns != x->span.start_ns || e.end_ns != x->span.end_ns)
		return false;
	return !x->finding ||
	       (t->kind == TRACK_FINDINGS && span_source_at(t->derived, e.id).of == x->finding - 1);
}

/* A finding or a step that takes just that time. */
static bool find_derived(struct timeline_state *s, const struct selection *x,
			 struct event_place *ret)
{
	for (size_t i = 0; i < s->set->count; i++) {
		const struct track *t = &s->set->all[i];
		const struct lanes *lanes;

		if ((t->kind != TRACK_FINDINGS && t->kind != TRACK_STEPS) ||
		    t->part->number != x->capture)
			continue;
		lanes = track_set_lanes(s->set, i);
		for (size_t l = 0; l < lanes->count; l++) {
			const struct lane *lane = &lanes->all[l];
			const size_t at = lane_begun(lane, x->span.start_ns);

			if (at < lane->count && is_meant(t, lane_event(lane, at), x)) {
				*ret = (struct event_place){true, i, l, at};
				return true;
			}
		}
	}
	return false;
}

void timeline_arrive(struct app *a, struct view *v)
{
	struct timeline_state *s = v->state;
	struct event_place p;

	s->picked.any = false;
	go_to_row(a, s);
	if (a->selection.kind == SELECTED_NONE)
		return;
	s->cursor_ns = a->selection.span.start_ns;
	if (a->selection.kind == SELECTED_EVENT ? find_selected(s, &a->selection, &p)
						: find_derived(s, &a->selection, &p)) {
		const struct selection before = a->selection;

		pick_event(a, s, p);
		if (before.kind == SELECTED_TIME)
			a->selection = before;
	}
	follow_capture(a, s);
}

/* "iteration 0 / forward / attn": the ranges that the op was launched in. */
static char *range_of_op(struct app *a, struct timeline_state *s, const struct lane_event *e)
{
	struct buf text = {0};
	struct err ignored = {0};
	const struct facts *f = timeline_facts(a, s, &ignored);

	if (f)
		facts_add_op_path(&text, f, op_id_kind(e->id), op_id_row(e->id));
	return text.s;
}

void timeline_mark(struct app *a, struct view *v, struct bookmark *ret)
{
	struct timeline_state *s = v->state;
	const struct track *t;
	struct lane_event e;
	struct buf name = {0};

	ret->at_ns = s->cursor_ns;
	if (s->line_count) {
		struct buf row = {0};

		track_set_add_name(&row, s->set, s->lines[s->chosen].track);
		ret->row = row.s;
	}
	if (!s->picked.any)
		return;
	t = &s->set->all[s->picked.track];
	e = picked_event(s);
	add_event_name(&name, s, t, &e);
	if (t->kind == TRACK_STREAM) {
		ret->kernel = name.s;
		ret->range = range_of_op(a, s, &e);
	} else if (t->kind == TRACK_RANGES || t->kind == TRACK_SPANS) {
		ret->range = name.s;
	} else {
		buf_free(&name);
	}
}

/* " pinned:GPU%200": a word for each row that is not as it was at first. */
static void add_row_word(struct buf *b, const struct timeline_state *s, size_t track,
			 const char *state)
{
	SCOPED_BUF name = {0};

	track_set_add_name(&name, s->set, track);
	buf_addf(b, " %s:", state);
	link_add_escaped(b, name.s);
}

void timeline_save(struct app *a, struct view *v, struct buf *b)
{
	const struct timeline_state *s = v->state;

	(void)a;
	buf_addf(b, "relative %d whole-names %d settings", s->is_relative, s->whole_names);
	for (int i = 0; i < SETTING_LEAST; i++)
		buf_addf(b, " %d", s->settings[i]);
	buf_addf(b, " least:%" PRId64, s->least_ns);
	if (s->has_mark)
		buf_addf(b, " mark:%" PRId64, s->mark_ns);
	for (size_t i = 0; i < s->set->count; i++) {
		if (s->tracks[i].is_hidden)
			add_row_word(b, s, i, "hidden");
		if (s->tracks[i].is_pinned)
			add_row_word(b, s, i, "pinned");
		if (s->tracks[i].is_folded)
			add_row_word(b, s, i, "folded");
	}
}

static bool has_word(const struct timeline_state *s, size_t track, const char *state)
{
	SCOPED_BUF word = {0};
	const char *at = s->kept;

	add_row_word(&word, s, track, state);
	while (at && (at = strstr(at, word.s)) && at[word.len] && at[word.len] != ' ')
		at += word.len;
	return at != NULL;
}

void timeline_restore_row(struct timeline_state *s, size_t track)
{
	struct track_state *t = &s->tracks[track];

	if (!s->kept)
		return;
	t->is_hidden = has_word(s, track, "hidden");
	t->is_pinned = has_word(s, track, "pinned");
	t->is_folded = has_word(s, track, "folded");
}

static void restore_times(struct timeline_state *s, const char *words)
{
	const char *least = strstr(words, " least:"), *mark = strstr(words, " mark:");

	if (least && sscanf(least, " least:%" SCNd64, &s->least_ns) == 1 && s->least_ns < 0)
		s->least_ns = 0;
	s->has_mark = mark && sscanf(mark, " mark:%" SCNd64, &s->mark_ns) == 1;
}

void timeline_restore(struct app *a, struct view *v, const char *words)
{
	struct timeline_state *s = v->state;
	int relative, whole_names, used = 0;

	(void)a;
	if (sscanf(words, "relative %d whole-names %d settings%n", &relative, &whole_names,
		   &used) != 2 ||
	    !used)
		return;
	s->is_relative = relative != 0;
	s->whole_names = whole_names != 0;
	words += used;
	for (int i = 0; i < SETTING_LEAST; i++) {
		int value, more = 0;

		if (sscanf(words, " %d%n", &value, &more) != 1)
			return;
		settings_set(s, i, value);
		words += more;
	}
	restore_times(s, words);
	/* Rows are there in part: the others are as they were when they come. */
	free(s->kept);
	s->kept = mem_strdup(words);
	for (size_t i = 0; i < s->set->count; i++)
		timeline_restore_row(s, i);
	lines_list(s);
}
