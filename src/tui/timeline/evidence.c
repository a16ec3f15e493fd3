/* Which finding is seen at the cursor? */
#include "text/units.h"
#include "tui/timeline/timeline_view.h"
#include "tui/views/finding_text.h"

static void draw(struct app *a, struct overlay *o, struct canvas *c, struct area area)
{
	const struct area box = {area.row + 1, area.col, area.rows - 2, area.cols};

	(void)a;
	canvas_box(c, box, "finding: Enter closes");
	finding_text_draw(o->state, c,
			  (struct area){box.row + 1, box.col + 2, box.rows - 2, box.cols - 4});
}

static int key(struct app *a, struct overlay *o, const struct key_event *k, struct err *e)
{
	(void)a;
	(void)o;
	(void)k;
	(void)e;
	return OVERLAY_PASSES;
}

static const struct overlay_kind kind = {.draw = draw, .key = key};

/* Of several at the cursor the shortest: it is the most exact. */
static bool find_span(const struct span_source *s, int64_t at_ns, struct derived_span *ret)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct derived_span d = span_source_at(s, i);

		if (d.start_ns <= at_ns && (at_ns < d.end_ns || d.start_ns == d.end_ns) &&
		    (!any || sat_sub(d.end_ns, d.start_ns) < sat_sub(ret->end_ns, ret->start_ns))) {
			*ret = d;
			any = true;
		}
	}
	return any;
}

/* The one that is picked on the row of findings. */
static bool find_picked(const struct timeline_state *s, struct derived_span *ret)
{
	const struct track *t = s->picked.any ? &s->set->all[s->picked.track] : NULL;

	if (!t || t->kind != TRACK_FINDINGS)
		return false;
	*ret = span_source_at(t->derived, picked_event(s).id);
	return true;
}

static const struct report *answer_of(const struct timeline_state *s, const struct track_part *part)
{
	return &s->scene.parts[part - s->set->parts].findings.report;
}

/* Where there is none: outside the window that the answer is about there can be none. */
static void say_none(struct app *a, const struct report *r, int64_t at_ns)
{
	SCOPED_BUF from = {0}, to = {0};

	if (!r || !r->has_window || (at_ns >= r->window_start_ns && at_ns <= r->window_end_ns)) {
		app_say(a, "no finding has its evidence here; F5 lists all");
		return;
	}
	units_add_time(&from, r->window_start_ns);
	units_add_time(&to, r->window_end_ns);
	app_say(a, "findings are about %s to %s; :trim asks about another time", from.s, to.s);
}

int evidence_show(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct track_part *part = chosen_part(s);
	const struct named_spans *n = part ? &part->findings : NULL;
	const int64_t at_ns = sat_sub(s->cursor_ns, part ? part->shift_ns : 0);
	struct derived_span d = {0};
	const struct finding *f = NULL;

	(void)e;
	if (n && (find_picked(s, &d) || find_span(&n->spans, at_ns, &d)))
		f = scene_finding(&s->scene, part, d.of);
	if (!f) {
		say_none(a, part ? answer_of(s, part) : NULL, at_ns);
		return 0;
	}
	a->selection = (struct selection){
		.kind = SELECTED_TIME,
		.span = span_shift((struct span){d.start_ns, d.end_ns}, part->shift_ns)};
	app_push(a, &kind, (void *)f);
	return 0;
}
