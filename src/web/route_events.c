/* GET /events: which events of a tile are long enough to be drawn with their names? */
#include "base/mem.h"
#include "text/json_write.h"
#include "text/pattern.h"
#include "text/strtab.h"
#include "web/tile.h"

#include <stdlib.h>

/* So many cells long is long enough; so many events of no length may begin at one time. */
enum { LEAST_CELLS = 4, MOST_EVENTS = 4096 };

struct lane_columns {
	int64_t *at, *start, *duration, *class, *name;
	double *value; /* of tracks that have values; else NULL */
	int64_t *hit;  /* where something is searched for; else NULL */
	size_t count, cap;
	int64_t last_at, last_start;
};

/* An answer, while it is written. */
struct telling {
	struct json_writer w;
	struct site *site;
	struct tile tile;
	struct strtab names;
	struct arena arena;
	struct pattern *pattern; /* NULL: nothing is searched for */
	struct idmap tried;	 /* where a name is → whether it matches */
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
	if (c->hit)
		json_write_ints(w, "hit", c->hit, c->count);
	free(c->hit);
	json_write_bool(w, "all", are_all);
	json_write_close(w, '}');
}

static int64_t name_number(struct telling *x, const struct track *t, const struct lane_event *e)
{
	SCOPED_BUF name = {0};

	track_add_event_name(&name, t, e, x->tile.whole);
	return name.len ? (int64_t)strtab_keep(&x->names, &x->arena, buf_str(&name)) : -1;
}

/* By the whole name, as /search has it; each is tried once. 1, 0, or -1. */
static int matches(struct telling *x, const struct track *t, const struct lane_event *e,
		   struct err *error)
{
	const struct str name = track_event_name(t, e);
	const uint64_t key = (uint64_t)(uintptr_t)name.s;
	uint32_t known = idmap_get(&x->tried, key);

	if (known == IDMAP_NONE) {
		const int match = pattern_match(x->pattern, name, error);

		if (match < 0)
			return -1;
		known = idmap_add(&x->tried, key, (uint32_t)match);
	}
	return (int)known;
}

static void grow(struct lane_columns *c, bool has_values, bool has_hits)
{
	c->cap = mem_next_cap(c->cap, c->count + 1);
	c->at = mem_resize(c->at, c->cap, sizeof(*c->at));
	c->start = mem_resize(c->start, c->cap, sizeof(*c->start));
	c->duration = mem_resize(c->duration, c->cap, sizeof(*c->duration));
	c->class = mem_resize(c->class, c->cap, sizeof(*c->class));
	c->name = mem_resize(c->name, c->cap, sizeof(*c->name));
	if (has_values)
		c->value = mem_resize(c->value, c->cap, sizeof(*c->value));
	if (has_hits)
		c->hit = mem_resize(c->hit, c->cap, sizeof(*c->hit));
}

static int add_event(struct telling *x, struct lane_columns *c, const struct track *t, size_t at,
		     const struct lane_event *e, struct err *error)
{
	const int64_t start = site_told_ns(x->site, e->start_ns);
	const int hit = x->pattern ? matches(x, t, e, error) : 0;
	const size_t n = c->count;

	if (hit < 0)
		return -1;
	if (n == c->cap)
		grow(c, t->values, x->pattern);
	/* Differences are small numbers: a file of many events is half as large. */
	c->at[n] = (int64_t)at - c->last_at;
	c->start[n] = sat_sub(start, c->last_start);
	c->last_at = (int64_t)at;
	c->last_start = start;
	c->duration[n] = sat_sub(e->end_ns, e->start_ns);
	c->class[n] = e->class;
	c->name[n] = name_number(x, t, e);
	if (t->values)
		c->value[n] = t->values->value(t->values, e->id);
	if (c->hit)
		c->hit[n] = hit;
	c->count++;
	return 0;
}

static int write_lane(struct telling *x, const struct track *t, const struct lane *l,
		      struct err *error)
{
	const struct tile *tile = &x->tile;
	const int64_t least_ns =
		tile->level && !tile->all ? (int64_t)LEAST_CELLS << tile->level : 0;
	const size_t begin = lane_from(l, tile->span.start_ns);
	const size_t end = lane_begun(l, tile->span.end_ns);
	struct lane_columns c = {0};
	int result = 0;

	for (size_t at = begin; result == 0 && at < end && c.count < MOST_EVENTS; at++) {
		struct lane_event e;

		at = lane_next_long(l, at, end, least_ns);
		if (at >= end)
			break;
		e = lane_event(l, at);
		result = add_event(x, &c, t, at, &e, error);
	}
	write_columns(&x->w, &c, begin >= end || c.count == end - begin);
	return result;
}

static void write_names(struct json_writer *w, const struct strtab *names)
{
	json_write_open(w, "names", '[');
	for (size_t i = 0; i < names->count; i++)
		json_write_str(w, NULL, names->items[i]);
	json_write_close(w, ']');
}

/* Names are read while an analysis may add some: it does so under the trace's lock. */
static int write_track(struct telling *x, size_t track, struct err *e)
{
	const struct lanes *lanes = track_set_lanes(x->site->scene.set, track);
	const struct track *t = &x->site->scene.set->all[track];
	int result = 0;
	TRACE_LOCK_SCOPE(t->part->trace);

	json_write_open(&x->w, NULL, '{');
	json_write_int(&x->w, "number", (int64_t)t->number);
	json_write_open(&x->w, "lanes", '[');
	for (size_t l = 0; result == 0 && l < lanes->count && l < x->tile.lanes; l++)
		result = write_lane(x, t, &lanes->all[l], e);
	json_write_close(&x->w, ']');
	json_write_close(&x->w, '}');
	return result;
}

static int read_pattern(struct telling *x, const struct request *r, struct err *e)
{
	const char *text = request_value(r, "pattern");

	return text ? pattern_compile(&x->pattern, str_of(text), PATTERN_ANY_CASE, e) : 0;
}

int route_events(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct telling x = {.w = {.out = &ret->body}, .site = s};
	int result = 0;

	if (tile_read(s, r, &x.tile, e) < 0 || read_pattern(&x, r, e) < 0)
		return -1;
	json_write_open(&x.w, NULL, '{');
	json_write_open(&x.w, "tracks", '[');
	for (size_t i = 0; result == 0 && i < x.tile.count; i++)
		result = write_track(&x, x.tile.tracks[i], e);
	json_write_close(&x.w, ']');
	write_names(&x.w, &x.names);
	json_write_close(&x.w, '}');
	strtab_free(&x.names);
	arena_free(&x.arena);
	idmap_free(&x.tried);
	pattern_free(x.pattern);
	return result;
}
