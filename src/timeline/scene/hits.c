/* Where is what somebody searches for? */
#include "timeline/scene/hits.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>

static int find_in_track(struct hits *h, struct name_search *n, struct scene *s, size_t track,
			 struct err *e)
{
	const struct lanes *lanes = track_set_lanes(s->set, track);
	struct track_hits *t = &h->by_number[s->set->all[track].number];

	t->lane_count = lanes->count;
	if (name_search_track(n, &s->set->all[track], &t->lanes, e) < 0)
		return -1;
	for (size_t l = 0; t->lanes && l < lanes->count; l++)
		h->count += t->lanes[l].count;
	return 0;
}

int hits_find(struct hits *h, struct scene *s, const char *pattern, struct err *e)
{
	struct name_search *n;
	int result = 0;

	*h = (struct hits){0};
	if (name_search_begin(&n, pattern, e) < 0)
		return -1;
	/* Numbers are those of the tracks that there are. */
	h->tracks = s->set->count;
	h->by_number = mem_zalloc(h->tracks, sizeof(*h->by_number));
	for (size_t i = 0; i < h->tracks && result == 0; i++)
		result = find_in_track(h, n, s, i, e);
	name_search_end(n);
	return result;
}

void hits_free(struct hits *h)
{
	for (size_t i = 0; i < h->tracks; i++)
		lane_hits_free(h->by_number[i].lanes, h->by_number[i].lane_count);
	free(h->by_number);
	*h = (struct hits){0};
}

const struct lane_hits *hits_of(const struct hits *h, const struct track *t, size_t lane)
{
	return t->number < h->tracks && h->by_number[t->number].lanes
		       ? &h->by_number[t->number].lanes[lane]
		       : NULL;
}

bool hits_has(const struct lane_hits *h, size_t event)
{
	const size_t at = BISECT(0, h->count, k, h->at[k] < event);

	return at < h->count && h->at[at] == event;
}

static int compare_places(const struct hit_place *a, const struct hit_place *b)
{
	const struct event_place *x = &a->p, *y = &b->p;

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
		      size_t number, const struct hit_place *from, int way, struct hit_place *ret)
{
	const size_t begun = lane_begun(lane, sat_add(from->start_ns, way < 0));
	size_t at = BISECT(0, h->count, k, h->at[k] < begun);

	/* Of those that begin with it some come after it, some before. */
	for (at -= way < 0; at < h->count; at += (size_t)way) {
		*ret = (struct hit_place){lane_event(lane, h->at[at]).start_ns,
					  {true, track, number, h->at[at]}};
		if (compare_places(ret, from) * way > 0)
			return true;
	}
	return false;
}

struct hit_place hits_from(int64_t at_ns, int way)
{
	return way > 0 ? (struct hit_place){sat_sub(at_ns, 1), {.track = SIZE_MAX}}
		       : (struct hit_place){at_ns, {0}};
}

bool hits_near(const struct hits *h, const struct scene *s, const struct hit_place *from, int way,
	       size_t track, struct hit_place *ret)
{
	bool any = false;

	for (size_t i = 0; i < s->set->count; i++) {
		const struct lanes *lanes = &s->set->all[i].lanes;

		for (size_t l = 0; (track == SIZE_MAX || track == i) && l < lanes->count; l++) {
			const struct lane_hits *found = hits_of(h, &s->set->all[i], l);
			struct hit_place near;

			if (!found || !find_near(&lanes->all[l], found, i, l, from, way, &near))
				continue;
			if (!any || compare_places(&near, ret) * way < 0)
				*ret = near;
			any = true;
		}
	}
	return any;
}
