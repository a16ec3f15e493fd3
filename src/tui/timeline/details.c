/* What is known of the picked event? */
#include "timeline/facts/words.h"
#include "tui/loading.h"
#include "tui/text_box.h"
#include "tui/timeline/timeline_view.h"

static int open_facts(struct app *a, void *ctx, struct err *e)
{
	struct timeline_state *s = ctx;

	(void)a;
	return scene_facts(&s->scene, chosen_part(s), e) ? 0 : -1;
}

struct facts *timeline_facts(struct app *a, struct timeline_state *s, struct err *e)
{
	return loading_run(a, "joining events", open_facts, s, e) == 0
		       ? scene_facts(&s->scene, chosen_part(s), e)
		       : NULL;
}

struct describing {
	struct timeline_state *s;
	struct facts *facts;
	struct buf text;
};

static int find_facts(struct app *a, void *ctx, struct err *e)
{
	struct describing *d = ctx;
	const struct lane_event event = picked_event(d->s);
	struct event_facts x;
	const int result = facts_find(d->facts, &d->s->set->all[d->s->picked.track], &event, &x, e);

	if (result == 0)
		event_words_add(&d->text, &x, a->window, true);
	event_facts_free(&x);
	return result;
}

/* The first of a name, and the first range, take a moment on a large trace. */
static int describe(struct app *a, struct timeline_state *s, struct buf *b, struct err *e)
{
	struct describing d = {.s = s, .facts = timeline_facts(a, s, e)};
	int result;

	if (!d.facts)
		return -1;
	result = loading_run(a, "details", find_facts, &d, e);
	buf_addstr(b, buf_str(&d.text));
	buf_free(&d.text);
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
