/* Where is what somebody searches for? */
#include "timeline/scene/hits.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static void lock(const struct hits_sharing *with)
{
	if (with->lock)
		with->lock(with->patience.ctx);
}

static void unlock(const struct hits_sharing *with)
{
	if (with->unlock)
		with->unlock(with->patience.ctx);
}

/* As it is now: others that come move it, but leave its lanes where they are. */
static struct track look_at(struct scene *s, size_t number, const struct hits_sharing *with)
{
	struct track found;
	size_t track = 0;

	lock(with);
	track_set_find_track(s->set, number, &track);
	track_set_lanes(s->set, track);
	found = s->set->all[track];
	unlock(with);
	return found;
}

static int find_in_track(struct hits *h, struct name_search *n, const struct track *track,
			 struct err *e)
{
	struct track_hits *t = &h->by_number[track->number];

	t->lane_count = track->lanes.count;
	if (name_search_track(n, track, &t->lanes, e) < 0)
		return -1;
	for (size_t l = 0; t->lanes && l < t->lane_count; l++)
		h->count += t->lanes[l].count;
	return 0;
}

/* Numbers are those of the tracks that there are. Returns how many there were. */
static size_t make_room(struct hits *h, const struct scene *s, const struct hits_sharing *with)
{
	const size_t before = h->tracks;

	lock(with);
	h->tracks = s->set->count;
	unlock(with);
	if (h->tracks > before) {
		h->by_number = mem_resize(h->by_number, h->tracks, sizeof(*h->by_number));
		memset(h->by_number + before, 0, (h->tracks - before) * sizeof(*h->by_number));
	}
	return before;
}

int hits_find(struct hits *h, struct scene *s, const char *pattern, const struct hits_sharing *with,
	      struct err *e)
{
	const size_t before = make_room(h, s, with);
	struct name_search *n;
	int result = 0;

	if (before && before == h->tracks)
		return 0;
	if (name_search_begin(&n, pattern, &with->patience, e) < 0)
		return -1;
	for (size_t i = before; i < h->tracks && result == 0; i++) {
		const struct track track = look_at(s, i, with);

		result = find_in_track(h, n, &track, e);
	}
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

const struct hits_among hits_among_all = {SIZE_MAX, SIZE_MAX};

static bool is_among(const struct hits_among *among, const struct scene *s, size_t track)
{
	return (among->track == SIZE_MAX || among->track == track) &&
	       (among->capture == SIZE_MAX || among->capture == s->set->all[track].part->number);
}

bool hits_near(const struct hits *h, const struct scene *s, const struct hit_place *from, int way,
	       const struct hits_among *among, struct hit_place *ret)
{
	bool any = false;

	for (size_t i = 0; i < s->set->count; i++) {
		const struct lanes *lanes = &s->set->all[i].lanes;

		for (size_t l = 0; is_among(among, s, i) && l < lanes->count; l++) {
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
