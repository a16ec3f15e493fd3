/* What was searched for on the timeline, and where is it? */
#include "tui/timeline/timeline_view.h"

#include "base/bisect.h"
#include "text/units.h"
#include "tui/loading.h"

void timeline_forget_hits(struct timeline_state *s)
{
	for (size_t i = 0; i < s->set->count; i++) {
		lane_hits_free(s->tracks[i].hits, s->set->all[i].lanes.count);
		s->tracks[i].hits = NULL;
	}
	s->hit_count = SIZE_MAX;
}

struct searching {
	struct timeline_state *s;
	struct name_search *n;
};

static int search_all(struct app *a, void *ctx, struct err *e)
{
	struct timeline_state *s = ((struct searching *)ctx)->s;
	struct name_search *n = ((struct searching *)ctx)->n;

	(void)a;
	s->hit_count = 0;
	for (size_t i = 0; i < s->set->count; i++) {
		struct track_state *t = &s->tracks[i];
		const struct lanes *lanes = track_set_lanes(s->set, i);

		if (name_search_track(n, &s->set->all[i], &t->hits, e) < 0)
			return -1;
		for (size_t l = 0; t->hits && l < lanes->count; l++)
			s->hit_count += t->hits[l].count;
	}
	return 0;
}

const struct lane_hits *line_hits(const struct timeline_state *s, const struct line *l)
{
	const struct track_state *t = &s->tracks[l->track];

	return t->hits ? &t->hits[l->lane] : NULL;
}

bool is_hit(const struct lane_hits *h, size_t event)
{
	const size_t at = BISECT(0, h->count, k, h->at[k] < event);

	return at < h->count && h->at[at] == event;
}

/* Hits in their order: by time, then from the uppermost down. */
struct hit_place {
	int64_t start_ns;
	struct picked p;
};

static int compare_places(const struct hit_place *a, const struct hit_place *b)
{
	const struct picked *x = &a->p, *y = &b->p;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	if (x->track != y->track)
		return x->track < y->track ? -1 : 1;
	if (x->lane != y->lane)
		return x->lane < y->lane ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/* The nearest hit of a lane after a place, or before it; false: there is none. */
static bool find_near(const struct lane *lane, const struct lane_hits *h, size_t track,
		      size_t number, const struct hit_place *here, int way, struct hit_place *ret)
{
	const size_t begun = lane_begun(lane, sat_add(here->start_ns, way < 0));
	size_t at = BISECT(0, h->count, k, h->at[k] < begun);

	/* Of those that begin with it some come after it, some before. */
	for (at -= way < 0; at < h->count; at += (size_t)way) {
		*ret = (struct hit_place){lane_event(lane, h->at[at]).start_ns,
					  {true, track, number, h->at[at]}};
		if (compare_places(ret, here) * way > 0)
			return true;
	}
	return false;
}

/* Where we are: at what is picked, or just before all that begins at the cursor. */
static struct hit_place here(const struct timeline_state *s, int way)
{
	if (s->picked.any)
		return (struct hit_place){picked_event(s).start_ns, s->picked};
	return way > 0 ? (struct hit_place){sat_sub(s->cursor_ns, 1), {.track = SIZE_MAX}}
		       : (struct hit_place){s->cursor_ns, {0}};
}

/* On any track: one that is not seen is shown then. */
static bool find_hit(const struct timeline_state *s, struct hit_place from, int way,
		     struct hit_place *ret)
{
	bool any = false;

	for (size_t i = 0; i < s->set->count; i++) {
		const struct lanes *lanes = &s->set->all[i].lanes;

		for (size_t l = 0; s->tracks[i].hits && l < lanes->count; l++) {
			struct hit_place near;

			if (!find_near(&lanes->all[l], &s->tracks[i].hits[l], i, l, &from, way,
				       &near))
				continue;
			if (!any || compare_places(&near, ret) * way < 0)
				*ret = near;
			any = true;
		}
	}
	return any;
}

int pick_hit(struct app *a, struct timeline_state *s, int way, struct err *e)
{
	struct hit_place found;

	(void)e;
	if (s->hit_count == SIZE_MAX)
		app_say(a, "nothing was searched for: / searches");
	else if (find_hit(s, here(s, way), way, &found))
		pick_event(a, s, found.p);
	else
		app_say(a, way > 0 ? "no later hit" : "no earlier hit");
	return 0;
}

int timeline_search(struct app *a, struct timeline_state *s, const char *pattern, struct err *e)
{
	struct name_search *n;
	struct hit_place found;
	SCOPED_BUF b = {0};
	int result;

	timeline_forget_hits(s);
	if (!*pattern)
		return 0;
	if (name_search_begin(&n, pattern, e) < 0)
		return -1;
	result = loading_run(a, "searching", search_all, &(struct searching){s, n}, e);
	name_search_end(n);
	if (result < 0) {
		timeline_forget_hits(s);
		return -1;
	}
	units_add_count(&b, (int64_t)s->hit_count);
	if (!s->hit_count) {
		timeline_forget_hits(s);
		app_say(a, "nothing is called '%s'", pattern);
		return 0;
	}
	app_say(a, "%s %s; n and N go through them", b.s, s->hit_count == 1 ? "hit" : "hits");
	/* From the cursor on, or from the start. */
	s->picked.any = false;
	if (find_hit(s, here(s, 1), 1, &found) ||
	    find_hit(s, (struct hit_place){.start_ns = INT64_MIN}, 1, &found))
		pick_event(a, s, found.p);
	return 0;
}
