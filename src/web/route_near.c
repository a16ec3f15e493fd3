/* GET /near, /around, /sums, /gaps: from a time or an event to others, and what is in between. */
#include "text/json_write.h"
#include "timeline/lane_gaps.h"
#include "timeline/values.h"
#include "web/tile.h"

#include <math.h>
#include <string.h>

enum { MOST_GAPS = 1000 };

static int add_event_or_null(const struct site *s, const struct event_place *p, struct reply *ret)
{
	struct json_writer w = {.out = &ret->body};

	json_write_open(&w, NULL, '{');
	if (p->any)
		route_add_brief(&w, "event", s, p);
	else
		json_write_null(&w, "event");
	json_write_close(&w, '}');
	return 0;
}

/* The one that goes on at a time. */
static bool find_at(const struct lane *l, int64_t ns, size_t *ret)
{
	const size_t begun = lane_begun(l, sat_add(ns, 1));
	struct lane_event x;

	if (!begun)
		return false;
	*ret = begun - 1;
	x = lane_event(l, *ret);
	return x.end_ns > ns || (x.end_ns == x.start_ns && x.start_ns == ns);
}

static bool find_near(const struct lane *l, const char *way, int64_t ns, int64_t least_ns,
		      size_t *ret)
{
	size_t begun;

	if (strcmp(way, "at") == 0)
		return find_at(l, ns, ret);
	if (strcmp(way, "next") == 0) {
		*ret = lane_next_long(l, lane_begun(l, sat_add(ns, 1)), l->count, least_ns);
		return *ret < l->count;
	}
	begun = lane_begun(l, ns);
	*ret = begun ? lane_previous_long(l, 0, begun, least_ns) : begun;
	return *ret < begun;
}

int route_near(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const char *way = request_value(r, "way") ? request_value(r, "way") : "at";
	const struct lane *l;
	struct event_place p;
	int64_t time, least;

	if (route_find_event(s, r, &p, e) < 0 ||
	    request_need_int(r, "time", INT64_MIN, INT64_MAX, &time, e) < 0 ||
	    request_int(r, "least", 0, INT64_MAX, 0, &least, e) < 0)
		return -1;
	if (strcmp(way, "at") != 0 && strcmp(way, "next") != 0 && strcmp(way, "previous") != 0)
		return err_set(e, ERR_USAGE, "way takes at, next or previous, not '%.40s'", way);
	l = &s->scene.set->all[p.track].lanes.all[p.lane];
	p.any = find_near(l, way, site_meant_ns(s, time), least, &p.at);
	return add_event_or_null(s, &p, ret);
}

/* Under the lock, when what it takes has been read. */
static int add_around(struct site *s, const struct event_place *p, struct reply *ret, struct err *e)
{
	struct event_place around;

	if (scene_find_around(&s->scene, p, &around, e) < 0)
		return -1;
	return add_event_or_null(s, &around, ret);
}

/* Which range an op was launched in is read without the lock: tiles are asked for meanwhile. */
int route_around(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const struct track *t;
	struct event_place p;
	int result;

	site_lock(s);
	result = route_need_event(s, r, &p, e);
	site_unlock(s);
	if (result < 0)
		return -1;
	t = &s->scene.set->all[p.track];
	if (t->kind == TRACK_STREAM && !scene_facts(&s->scene, t->part, e))
		return -1;
	site_lock(s);
	result = add_around(s, &p, ret, e);
	site_unlock(s);
	return result;
}

static void add_sums(struct json_writer *w, struct site *s, size_t track, struct span window)
{
	const struct lanes *lanes = track_set_lanes(s->scene.set, track);
	const struct track *t = &s->scene.set->all[track];
	int64_t ns[LANE_CLASSES] = {0}, busy = 0, begun = 0, events = 0;

	for (size_t l = 0; l < lanes->count; l++) {
		const struct lane *lane = &lanes->all[l];
		const size_t from = lane_from(lane, window.start_ns);
		const size_t end = lane_begun(lane, window.end_ns);
		struct lane_past before, after;

		lane_past(lane, window.start_ns, &before);
		lane_past(lane, window.end_ns, &after);
		begun += (int64_t)(after.begun - before.begun);
		events += end > from ? (int64_t)(end - from) : 0;
		for (int c = 0; c < LANE_CLASSES; c++) {
			ns[c] = sat_add(ns[c], after.ns[c] - before.ns[c]);
			busy = sat_add(busy, after.ns[c] - before.ns[c]);
		}
	}
	json_write_open(w, NULL, '{');
	json_write_int(w, "number", (int64_t)t->number);
	json_write_int(w, "events", events);
	json_write_int(w, "begun", begun);
	json_write_int(w, "busy", busy);
	json_write_ints(w, "ns", ns, LANE_CLASSES);
	json_write_real(w, "mean",
			t->values && lanes->count ? values_mean(t->values, &lanes->all[0], window)
						  : NAN);
	json_write_close(w, '}');
}

int route_sums(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	size_t tracks[TILE_MOST_TRACKS];
	const int count = request_numbers(r, "tracks", tracks, TILE_MOST_TRACKS, e);
	struct span window;

	if (count < 0 || route_find_window(s, r, &window, e) < 0)
		return -1;
	for (int i = 0; i < count; i++) {
		if (route_find_track(s, tracks[i], &tracks[i], e) < 0)
			return -1;
	}
	json_write_open(&w, NULL, '{');
	json_write_open(&w, "tracks", '[');
	for (int i = 0; i < count; i++)
		add_sums(&w, s, tracks[i], window);
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	return 0;
}

int route_gaps(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	struct lane_gap gaps[MOST_GAPS];
	struct event_place p;
	struct span window;
	int64_t most;
	size_t count;

	if (route_find_event(s, r, &p, e) < 0 || route_find_window(s, r, &window, e) < 0 ||
	    request_int(r, "most", 1, MOST_GAPS, 20, &most, e) < 0)
		return -1;
	count = lane_gaps_find(&s->scene.set->all[p.track].lanes.all[p.lane], window, gaps,
			       (size_t)most);
	json_write_open(&w, NULL, '{');
	json_write_open(&w, "gaps", '[');
	for (size_t i = 0; i < count; i++) {
		json_write_open(&w, NULL, '{');
		json_write_int(&w, "start", site_told_ns(s, gaps[i].span.start_ns));
		json_write_int(&w, "end", site_told_ns(s, gaps[i].span.end_ns));
		json_write_close(&w, '}');
	}
	json_write_close(&w, ']');
	json_write_close(&w, '}');
	return 0;
}
