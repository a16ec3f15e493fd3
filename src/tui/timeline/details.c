/* What is known of the picked event? */
#include "tui/loading.h"
#include "tui/text_box.h"
#include "tui/timeline/details_text.h"
#include "tui/timeline/timeline_view.h"

static int open_facts(struct app *a, void *ctx, struct err *e)
{
	struct timeline_state *s = ctx;
	const size_t part = (size_t)(chosen_part(s) - s->set->parts);

	return facts_open(&s->parts[part].facts, &s->set->parts[part], a->ncu, e);
}

struct facts *timeline_facts(struct app *a, struct timeline_state *s, struct err *e)
{
	struct facts **f = &s->parts[chosen_part(s) - s->set->parts].facts;

	return *f || loading_run(a, "joining events", open_facts, s, e) == 0 ? *f : NULL;
}

static int describe(struct app *a, struct timeline_state *s, struct buf *b, struct err *e)
{
	const struct lane_event event = picked_event(s);
	struct facts *f = timeline_facts(a, s, e);
	struct event_facts x;
	int result;

	if (!f)
		return -1;
	result = facts_find(f, &s->set->all[s->picked.track], &event, &x, e);
	if (result == 0)
		details_add(b, &x, a->window);
	event_facts_free(&x);
	return result;
}

int details_show(struct app *a, struct timeline_state *s, struct err *e)
{
	SCOPED_BUF text = {0};

	if (!s->picked.any && a->selection.kind != SELECTED_NONE && a->selection.is_gap)
		return gap_details_show(a, s, e);
	if (!s->picked.any) {
		app_say(a, "no event is selected: Tab selects one, g a gap");
		return 0;
	}
	if (s->set->all[s->picked.track].kind == TRACK_FINDINGS)
		return evidence_show(a, s, e);
	if (describe(a, s, &text, e) < 0)
		return -1;
	text_box_show(a, "details", buf_str(&text));
	return 0;
}
