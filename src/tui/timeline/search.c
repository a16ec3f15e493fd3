/* What was searched for on the timeline, and where is it? */
#include "tui/timeline/timeline_view.h"

#include "base/bisect.h"
#include "text/units.h"

void timeline_forget_hits(struct timeline_state *s)
{
	for (size_t i = 0; i < s->set->count; i++) {
		lane_hits_free(s->tracks[i].hits, s->set->all[i].lanes.count);
		s->tracks[i].hits = NULL;
	}
	s->hit_count = SIZE_MAX;
}

static int search_all(struct timeline_state *s, struct name_search *n, struct err *e)
{
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

int timeline_search(struct app *a, struct timeline_state *s, const char *pattern, struct err *e)
{
	struct name_search *n;
	SCOPED_BUF b = {0};
	int result;

	timeline_forget_hits(s);
	if (!*pattern)
		return 0;
	if (name_search_begin(&n, pattern, e) < 0)
		return -1;
	result = search_all(s, n, e);
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
	return pick_hit(a, s, 1, e);
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

/* The next hit in time on any line, the uppermost first of those that begin together. */
int pick_hit(struct app *a, struct timeline_state *s, int way, struct err *e)
{
	struct picked best = {0};
	int64_t best_ns = 0;

	(void)e;
	for (size_t i = 0; i < s->line_count; i++) {
		const struct lane_hits *h = line_hits(s, &s->lines[i]);
		const struct lane *lane = line_lane(s, &s->lines[i]);
		const size_t begun = lane_begun(lane, sat_add(s->cursor_ns, way > 0));
		const size_t at = h ? BISECT(0, h->count, k, h->at[k] < begun) : 0;
		int64_t ns;

		if (!h || (way > 0 ? at == h->count : at == 0))
			continue;
		ns = lane_event(lane, h->at[way > 0 ? at : at - 1]).start_ns;
		if (!best.any || (way > 0 ? ns < best_ns : ns > best_ns)) {
			best = (struct picked){true, s->lines[i].track, s->lines[i].lane,
					       h->at[way > 0 ? at : at - 1]};
			best_ns = ns;
		}
	}
	if (s->hit_count == SIZE_MAX)
		app_say(a, "nothing was searched for: / searches");
	else if (!best.any)
		app_say(a, way > 0 ? "no later hit" : "no earlier hit");
	else
		pick_event(a, s, best);
	return 0;
}
