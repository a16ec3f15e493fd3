/* What was searched for on the timeline, and where is it? */
#include "tui/timeline/timeline_view.h"

#include "text/units.h"
#include "tui/loading.h"

void timeline_forget_hits(struct timeline_state *s)
{
	hits_free(&s->hits);
}

struct searching {
	struct timeline_state *s;
	const char *pattern;
};

static bool goes_on(void *ctx)
{
	(void)ctx;
	return !loading_is_given_up();
}

static int search_all(struct app *a, void *ctx, struct err *e)
{
	static const struct hits_sharing nobody = {.patience = {goes_on, NULL}};
	struct searching *x = ctx;

	(void)a;
	return hits_find(&x->s->hits, &x->s->scene, x->pattern, &nobody, e);
}

const struct lane_hits *line_hits(const struct timeline_state *s, const struct line *l)
{
	return hits_of(&s->hits, &s->set->all[l->track], l->lane);
}

/* From what is picked, or from the cursor. */
static bool find_hit(const struct timeline_state *s, int way, struct hit_place *ret)
{
	const struct hit_place from =
		s->picked.any ? (struct hit_place){picked_event(s).start_ns, s->picked}
			      : hits_from(s->cursor_ns, way);

	return hits_near(&s->hits, &s->scene, &from, way, &hits_among_all, ret);
}

int pick_hit(struct app *a, struct timeline_state *s, int way, struct err *e)
{
	struct hit_place found;

	(void)e;
	if (!s->hits.tracks)
		app_say(a, "nothing was searched for: / searches");
	else if (find_hit(s, way, &found))
		pick_event(a, s, found.p);
	else
		app_say(a, way > 0 ? "no later hit" : "no earlier hit");
	return 0;
}

int timeline_search(struct app *a, struct timeline_state *s, const char *pattern, struct err *e)
{
	const struct hit_place first = {.start_ns = INT64_MIN};
	struct hit_place found;
	SCOPED_BUF b = {0};

	timeline_forget_hits(s);
	if (!*pattern)
		return 0;
	if (loading_run(a, "searching", search_all, &(struct searching){s, pattern}, e) < 0) {
		timeline_forget_hits(s);
		return -1;
	}
	units_add_count(&b, (int64_t)s->hits.count);
	if (!s->hits.count) {
		timeline_forget_hits(s);
		app_say(a, "nothing is called '%s'", pattern);
		return 0;
	}
	app_say(a, "%s %s; n and N go through them", b.s, s->hits.count == 1 ? "hit" : "hits");
	/* From the cursor on, or from the start. */
	s->picked.any = false;
	if (find_hit(s, 1, &found) ||
	    hits_near(&s->hits, &s->scene, &first, 1, &hits_among_all, &found))
		pick_event(a, s, found.p);
	return 0;
}
