/* GET /events: which events of a tile are long enough to be drawn with their names? */
#include "base/mem.h"
#include "text/json_write.h"
#include "text/strtab.h"
#include "web/tile.h"

#include <stdlib.h>

/* So many cells long is long enough; so many events of no length may begin at one time. */
enum { LEAST_CELLS = 4, MOST_EVENTS = 4096 };

struct lane_columns {
	int64_t *at, *start, *duration, *class, *name;
	double *value; /* of tracks that have values; else NULL */
	int64_t *hit;  /* of tracks that were searched; else NULL */
	const struct lane_hits *hits;
	size_t count, cap;
	int64_t last_at, last_start;
};

/* What is written is freed. */
static void write_columns(struct json_writer *w, struct lane_columns *c, bool are_all)
{
	int64_t *const all[] = {c->at, c->start, c->duration, c->class, c->name};
	static const char *const keys[] = {"at", "start", "duration", "class", "name"};

	json_write_open(w, NULL, '{');
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		json_write_ints(w, keys[i], all[i], c->count);
		free(all[i]);
	}
	if (c->value)
		json_write_reals(w, "value", c->value, c->count);
	free(c->value);
	if (c->hits)
		json_write_ints(w, "hit", c->hit, c->count);
	free(c->hit);
	json_write_bool(w, "all", are_all);
	json_write_close(w, '}');
}

static int64_t name_number(struct strtab *names, struct arena *arena, const struct track *t,
			   const struct lane_event *e, bool whole)
{
	SCOPED_BUF name = {0};

	track_add_event_name(&name, t, e, whole);
	return name.len ? (int64_t)strtab_keep(names, arena, buf_str(&name)) : -1;
}

static void add_event(struct lane_columns *c, const struct site *s, const struct track *t,
		      size_t at, const struct lane_event *e, int64_t name)
{
	const size_t n = c->count++;

	if (n == c->cap) {
		c->cap = mem_next_cap(c->cap, n + 1);
		c->at = mem_resize(c->at, c->cap, sizeof(*c->at));
		c->start = mem_resize(c->start, c->cap, sizeof(*c->start));
		c->duration = mem_resize(c->duration, c->cap, sizeof(*c->duration));
		c->class = mem_resize(c->class, c->cap, sizeof(*c->class));
		c->name = mem_resize(c->name, c->cap, sizeof(*c->name));
		if (t->values)
			c->value = mem_resize(c->value, c->cap, sizeof(*c->value));
		if (c->hits)
			c->hit = mem_resize(c->hit, c->cap, sizeof(*c->hit));
	}
	/* Differences are small numbers: a file of many events is half as large. */
	c->at[n] = (int64_t)at - c->last_at;
	c->start[n] = sat_sub(site_told_ns(s, e->start_ns), c->last_start);
	c->last_at = (int64_t)at;
	c->last_start = site_told_ns(s, e->start_ns);
	c->duration[n] = sat_sub(e->end_ns, e->start_ns);
	c->class[n] = e->class;
	c->name[n] = name;
	if (t->values)
		c->value[n] = t->values->value(t->values, e->id);
	if (c->hits)
		c->hit[n] = hits_has(c->hits, at);
}

static void write_lane(struct json_writer *w, const struct site *s, const struct tile *tile,
		       const struct track *t, size_t lane, struct strtab *names,
		       struct arena *arena)
{
	const struct lane *l = &t->lanes.all[lane];
	const int64_t least_ns =
		tile->level && !tile->all ? (int64_t)LEAST_CELLS << tile->level : 0;
	const size_t begin = lane_from(l, tile->span.start_ns);
	const size_t end = lane_begun(l, tile->span.end_ns);
	size_t at = begin;
	struct lane_columns c = {.hits = tile->marks ? hits_of(&s->hits, t, lane) : NULL};

	for (; at < end && c.count < MOST_EVENTS; at++) {
		struct lane_event e;

		at = lane_next_long(l, at, end, least_ns);
		if (at >= end)
			break;
		e = lane_event(l, at);
		add_event(&c, s, t, at, &e, name_number(names, arena, t, &e, tile->whole));
	}
	write_columns(w, &c, begin >= end || c.count == end - begin);
}

static void write_names(struct json_writer *w, const struct strtab *names)
{
	json_write_open(w, "names", '[');
	for (size_t i = 0; i < names->count; i++)
		json_write_str(w, NULL, names->items[i]);
	json_write_close(w, ']');
}

/* Names are read while an analysis may add some: it does so under the trace's lock. */
static void write_track(struct json_writer *w, struct site *s, const struct tile *tile,
			size_t track, struct strtab *names, struct arena *arena)
{
	const struct lanes *lanes = track_set_lanes(s->scene.set, track);
	const struct track *t = &s->scene.set->all[track];
	TRACE_LOCK_SCOPE(t->part->trace);

	json_write_open(w, NULL, '{');
	json_write_int(w, "number", (int64_t)t->number);
	json_write_open(w, "lanes", '[');
	for (size_t l = 0; l < lanes->count && l < tile->lanes; l++)
		write_lane(w, s, tile, t, l, names, arena);
	json_write_close(w, ']');
	json_write_close(w, '}');
}

int route_events(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct json_writer w = {.out = &ret->body};
	struct strtab names = {0};
	struct arena arena = {0};
	struct tile tile;

	if (tile_read(s, r, &tile, e) < 0)
		return -1;
	if (tile.marks && route_find_hits(s, r, e) < 0)
		return -1;
	json_write_open(&w, NULL, '{');
	json_write_open(&w, "tracks", '[');
	for (size_t i = 0; i < tile.count; i++)
		write_track(&w, s, &tile, tile.tracks[i], &names, &arena);
	json_write_close(&w, ']');
	write_names(&w, &names);
	json_write_close(&w, '}');
	strtab_free(&names);
	arena_free(&arena);
	return 0;
}
