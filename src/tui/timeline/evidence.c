/* Which finding is seen at the cursor? */
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

/* The title tells them apart: the track has a copy of it. */
static const struct finding *find_titled(const struct report *r, const char *title)
{
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING &&
		    strcmp(r->blocks[i].finding->title, title) == 0)
			return r->blocks[i].finding;
	}
	return NULL;
}

/* Of several at the cursor the shortest: it is the most exact. */
static bool find_span(const struct span_source *s, int64_t at_ns, struct derived_span *ret)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++) {
		const struct derived_span d = span_source_at(s, i);

		if (d.start_ns <= at_ns && at_ns <= d.end_ns &&
		    (!any || sat_sub(d.end_ns, d.start_ns) < sat_sub(ret->end_ns, ret->start_ns))) {
			*ret = d;
			any = true;
		}
	}
	return any;
}

static const struct report *answer_of(const struct timeline_state *s, const struct track_part *part)
{
	return &s->parts[part - s->set->parts].findings.report;
}

int evidence_show(struct app *a, struct timeline_state *s, struct err *e)
{
	const struct track_part *part = chosen_part(s);
	const struct named_spans *n = part ? &part->findings : NULL;
	struct derived_span d = {0};
	const struct finding *f = NULL;

	(void)e;
	if (n && find_span(&n->spans, sat_sub(s->cursor_ns, part->shift_ns), &d))
		f = find_titled(answer_of(s, part), n->names[d.of]);
	if (!f) {
		app_say(a, "no finding has its evidence here; F5 lists all");
		return 0;
	}
	a->selection = (struct selection){
		.kind = SELECTED_TIME,
		.span = span_shift((struct span){d.start_ns, d.end_ns}, part->shift_ns)};
	app_push(a, &kind, (void *)f);
	return 0;
}
