/* GET /search, /hit: where is what somebody looks for? */
#include "base/bisect.h"
#include "base/mem.h"
#include "text/json_write.h"
#include "timeline/cells.h"
#include "timeline/facts/durations.h"
#include "web/routes.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STRIP_CELLS = 512, LONGEST_PATTERN = 1000, MOMENT_NS = 100000 };

struct searching {
	struct site *site;
	const struct request *request;
};

static void lock(void *ctx)
{
	site_lock(((const struct searching *)ctx)->site);
}

static void unlock(void *ctx)
{
	site_unlock(((const struct searching *)ctx)->site);
}

/* Whoever looks something up, and waits for names of the trace, has the lock: they come first. */
static bool keeps_on(void *ctx)
{
	const struct timespec a_moment = {0, MOMENT_NS};

	lock(ctx);
	unlock(ctx);
	nanosleep(&a_moment, NULL);
	return !site_gives_up(((const struct searching *)ctx)->request);
}

static void forget(struct site *s)
{
	hits_free(&s->hits);
	free(s->searched);
	s->searched = NULL;
}

/* The last one is kept: n and N ask for the same. Tracks that have come since are searched then. */
int route_find_hits(struct site *s, const struct request *r, struct err *e)
{
	const char *pattern = request_value(r, "pattern");
	struct searching own = {s, r};
	const struct hits_sharing with = {lock, unlock, {keeps_on, &own}};

	if (!pattern || !*pattern)
		return err_set(e, ERR_USAGE, "%s needs pattern=REGEX", r->path);
	if (strlen(pattern) > LONGEST_PATTERN)
		return err_set(e, ERR_USAGE, "a pattern has at most %d bytes", LONGEST_PATTERN);
	if (!s->searched || strcmp(s->searched, pattern) != 0) {
		forget(s);
		s->searched = mem_strdup(pattern);
	}
	if (hits_find(&s->hits, &s->scene, pattern, &with, e) == 0)
		return 0;
	forget(s);
	return -1;
}

struct found {
	struct span window;
	int64_t capture; /* of this alone; -1: of all */
	size_t count;
	int64_t ns;
	int64_t strip[STRIP_CELLS];
	struct found_durations *durations;
};

static void take_lane(struct found *f, const struct lane *l, const struct lane_hits *h)
{
	const size_t from = lane_begun(l, f->window.start_ns), to = lane_begun(l, f->window.end_ns);

	for (size_t i = BISECT(0, h->count, k, h->at[k] < from); i < h->count && h->at[i] < to;
	     i++) {
		const struct lane_event x = lane_event(l, h->at[i]);
		const int64_t ns = sat_sub(x.end_ns, x.start_ns);

		f->count++;
		f->ns = sat_add(f->ns, ns);
		f->strip[cell_at(f->window, STRIP_CELLS, x.start_ns)]++;
		durations_take(f->durations, ns);
	}
}

static void add_track(struct json_writer *w, const struct site *s, const struct track *t,
		      struct found *f)
{
	const size_t before = f->count;
	const int64_t ns = f->ns;

	for (size_t l = 0; l < t->lanes.count; l++) {
		const struct lane_hits *h = hits_of(&s->hits, t, l);

		if (h)
			take_lane(f, &t->lanes.all[l], h);
	}
	if (f->count == before)
		return;
	json_write_open(w, NULL, '{');
	json_write_int(w, "number", (int64_t)t->number);
	json_write_int(w, "hits", (int64_t)(f->count - before));
	json_write_int(w, "ns", f->ns - ns);
	json_write_close(w, '}');
}

static void add_durations(struct json_writer *w, struct found_durations *found)
{
	struct durations d = {0};

	durations_make(&d, found);
	if (!d.count) {
		json_write_null(w, "durations");
		durations_free(&d);
		return;
	}
	json_write_open(w, "durations", '{');
	route_add_durations(w, &d);
	json_write_close(w, '}');
	durations_free(&d);
}

/* All of them as they are now, in their order, for free(): they may move meanwhile. */
static struct track *list_tracks(struct site *s, size_t *ret_count)
{
	struct track *all;

	site_lock(s);
	*ret_count = s->scene.set->count;
	all = mem_alloc(*ret_count, sizeof(*all));
	memcpy(all, s->scene.set->all, *ret_count * sizeof(*all));
	site_unlock(s);
	return all;
}

static int add_tracks(struct json_writer *w, struct site *s, const struct request *r,
		      struct found *f, struct err *e)
{
	size_t count, i;
	SCOPED struct track *all = list_tracks(s, &count);

	json_write_open(w, "tracks", '[');
	for (i = 0; i < count && !site_gives_up(r); i++) {
		if (f->capture < 0 || all[i].part->number == (size_t)f->capture)
			add_track(w, s, &all[i], f);
	}
	json_write_close(w, ']');
	return i == count ? 0 : err_set(e, ERR_SYSTEM, "nobody waits any more");
}

int route_search(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	struct found f = {0};
	int result;

	site_lock(s);
	result = route_find_window(s, r, &f.window, e);
	site_unlock(s);
	if (result < 0 || route_find_hits(s, r, e) < 0 ||
	    request_int(r, "capture", 0, (int64_t)s->traces->count - 1, -1, &f.capture, e) < 0)
		return -1;
	f.durations = durations_begin();
	json_write_open(&w, NULL, '{');
	json_write_text(&w, "pattern", s->searched);
	result = add_tracks(&w, s, r, &f, e);
	json_write_int(&w, "hits", (int64_t)f.count);
	json_write_ints(&w, "strip", f.strip, STRIP_CELLS);
	add_durations(&w, f.durations);
	json_write_close(&w, '}');
	return result;
}

/* From an event, where one is named, else from a time. */
static int find_from(struct site *s, const struct request *r, int way, struct hit_place *ret,
		     struct err *e)
{
	int64_t time;

	if (request_value(r, "at")) {
		if (route_find_event(s, r, &ret->p, e) < 0)
			return -1;
		ret->start_ns = scene_event(&s->scene, &ret->p).start_ns;
		return 0;
	}
	if (request_need_int(r, "time", INT64_MIN, INT64_MAX, &time, e) < 0)
		return -1;
	*ret = hits_from(site_meant_ns(s, time), way);
	return 0;
}

/* Under the lock. */
static int add_hit(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	const char *word = request_value(r, "way");
	const int way = word && strcmp(word, "previous") == 0 ? -1 : 1;
	struct hits_among among = hits_among_all;
	struct hit_place from, found;
	int64_t on, capture;

	if (find_from(s, r, way, &from, e) < 0 ||
	    request_int(r, "on", 0, UINT32_MAX, -1, &on, e) < 0 ||
	    (on >= 0 && route_find_track(s, (size_t)on, &among.track, e) < 0) ||
	    request_int(r, "capture", 0, (int64_t)s->traces->count - 1, -1, &capture, e) < 0)
		return -1;
	if (capture >= 0)
		among.capture = (size_t)capture;
	json_write_open(&w, NULL, '{');
	if (hits_near(&s->hits, &s->scene, &from, way, &among, &found))
		route_add_brief(&w, "event", s, &found.p);
	else
		json_write_null(&w, "event");
	json_write_close(&w, '}');
	return 0;
}

int route_hit(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	int result;

	if (route_find_hits(s, r, e) < 0)
		return -1;
	site_lock(s);
	result = add_hit(s, r, ret, e);
	site_unlock(s);
	return result;
}
