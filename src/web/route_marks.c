/* GET /marks: in which cells of a tile is what somebody searches for? */
#include "base/bisect.h"
#include "text/json_write.h"
#include "timeline/cells.h"
#include "web/tile.h"

struct marking {
	struct json_writer w;
	const struct site *site;
	struct tile tile;
	struct track tracks[TILE_MOST_TRACKS]; /* as they are now: others may come meanwhile */
};

/* A hit begins in the cell, or goes on in it. */
static bool has_hit(const struct lane *l, const struct lane_hits *h, struct span cell)
{
	size_t from = lane_begun(l, cell.start_ns);
	const size_t end = lane_begun(l, cell.end_ns);
	size_t next;

	from -= from && lane_event(l, from - 1).end_ns > cell.start_ns;
	next = BISECT(0, h->count, k, h->at[k] < from);
	return next < h->count && h->at[next] < end;
}

/* As pairs: from the first up to the second, without it. */
static void add_lane(struct marking *m, const struct lane *l, const struct lane_hits *h)
{
	const struct span tile = m->tile.span;
	bool before = false;

	json_write_open(&m->w, NULL, '[');
	for (size_t i = 0; h && h->count && i <= TILE_CELLS; i++) {
		const bool now = i < TILE_CELLS &&
				 has_hit(l, h,
					 (struct span){cell_edge(tile, TILE_CELLS, i),
						       cell_edge(tile, TILE_CELLS, i + 1)});

		if (now != before)
			json_write_int(&m->w, NULL, (int64_t)i);
		before = now;
	}
	json_write_close(&m->w, ']');
}

static void add_track(struct marking *m, const struct track *t)
{
	json_write_open(&m->w, NULL, '{');
	json_write_int(&m->w, "number", (int64_t)t->number);
	json_write_open(&m->w, "lanes", '[');
	for (size_t l = 0; l < t->lanes.count && l < m->tile.lanes; l++)
		add_lane(m, &t->lanes.all[l], hits_of(&m->site->hits, t, l));
	json_write_close(&m->w, ']');
	json_write_close(&m->w, '}');
}

static int look_at_tracks(struct marking *m, struct site *s, const struct request *r, struct err *e)
{
	int result;

	site_lock(s);
	result = tile_read(s, r, &m->tile, e);
	for (size_t i = 0; result == 0 && i < m->tile.count; i++) {
		track_set_lanes(s->scene.set, m->tile.tracks[i]);
		m->tracks[i] = s->scene.set->all[m->tile.tracks[i]];
	}
	site_unlock(s);
	return result;
}

int route_marks(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct marking m = {.w = {.out = &ret->body}, .site = s};

	if (route_find_hits(s, r, e) < 0 || look_at_tracks(&m, s, r, e) < 0)
		return -1;
	json_write_open(&m.w, NULL, '{');
	json_write_open(&m.w, "tracks", '[');
	for (size_t i = 0; i < m.tile.count; i++)
		add_track(&m, &m.tracks[i]);
	json_write_close(&m.w, ']');
	json_write_close(&m.w, '}');
	return 0;
}
