/* GET /tile: what do the cells of some tracks show? */
#include "timeline/cells.h"
#include "timeline/values.h"
#include "web/tile.h"

#include <math.h>
#include <string.h>

enum { CELL_BYTES = 12, LANES_OTHERWISE = 8 };

int tile_read(const struct site *s, const struct request *r, struct tile *ret, struct err *e)
{
	int64_t level, lanes, start, length;
	const int count = request_numbers(r, "tracks", ret->tracks, TILE_MOST_TRACKS, e);

	if (count < 0 || request_need_int(r, "level", 0, TILE_LEVELS - 1, &level, e) < 0 ||
	    request_need_int(r, "index", INT64_MIN, INT64_MAX, &ret->index, e) < 0 ||
	    request_int(r, "depth", 1, TILE_MOST_LANES, LANES_OTHERWISE, &lanes, e) < 0)
		return -1;
	ret->count = (size_t)count;
	ret->level = (int)level;
	ret->lanes = (size_t)lanes;
	ret->all = request_value(r, "all") != NULL;
	ret->whole = request_value(r, "whole") != NULL;
	length = (int64_t)TILE_CELLS << level;
	if (__builtin_mul_overflow(ret->index, length, &start) ||
	    __builtin_add_overflow(start, s->status.origin_ns, &start) ||
	    __builtin_add_overflow(start, length, &length))
		return err_set(e, ERR_USAGE, "no time is so far away: index %lld at level %lld",
			       (long long)ret->index, (long long)level);
	ret->span = (struct span){start, length};
	for (size_t i = 0; i < ret->count; i++) {
		if (route_find_track(s, ret->tracks[i], &ret->tracks[i], e) < 0)
			return -1;
	}
	return 0;
}

static void put_u32(unsigned char *at, size_t n)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(n >> 8 * i);
}

static void add_u32(struct buf *b, size_t n)
{
	put_u32((unsigned char *)buf_reserve(b, 4), n);
	b->len += 4;
}

/* In 255ths, the nearest. */
static uint8_t share(int64_t part_ns, int64_t all_ns)
{
	return all_ns > 0 ? (uint8_t)(((__int128)part_ns * 510 / all_ns + 1) / 2) : 0;
}

static uint8_t busy_share(const struct cell_time *c, int64_t busy_ns, int64_t length_ns)
{
	const uint8_t busy = share(busy_ns, length_ns);

	return busy || !c->eighths ? busy : 1;
}

/* As high as the mean of its samples. */
static uint8_t value_share(const struct value_source *v, double mean, const struct cell_time *c)
{
	const double part = mean / v->full * 255;
	uint8_t share;

	if (!isfinite(part) || part <= 0)
		return 0;
	share = part > 255 ? 255 : (uint8_t)lround(part);
	return share || !c->eighths ? share : 1;
}

/* Of the events that begin in it, and of the one that began before and may go on. */
static size_t longest_in(const struct lane *l, int64_t from_ns, size_t begun, size_t ends)
{
	const bool goes_on = begun && lane_event(l, begun - 1).end_ns > from_ns;

	if (begun == ends)
		return goes_on ? begun - 1 : UINT32_MAX;
	return lane_longest(l, begun - goes_on, ends);
}

static void put_cell(unsigned char *at, const struct track *t, const struct lane *l,
		     const struct cell_time *c, struct span x, size_t begun)
{
	const double mean = t->values ? values_mean(t->values, l, x) : 0;
	int64_t busy_ns = 0;

	for (int i = 0; i < LANE_CLASSES; i++)
		busy_ns = sat_add(busy_ns, c->ns[i]);
	/* Without a sample there is no value: that is not 0. */
	at[0] = isnan(mean) ? (uint8_t)LANE_CLASSES : c->first;
	at[1] = c->second;
	at[2] = t->values ? value_share(t->values, mean, c)
			  : busy_share(c, busy_ns, sat_sub(x.end_ns, x.start_ns));
	at[3] = c->second < LANE_CLASSES ? share(c->ns[c->second], busy_ns) : 0;
	put_u32(at + 4, c->begun < UINT32_MAX ? c->begun : UINT32_MAX);
	put_u32(at + 8, c->first < LANE_CLASSES || c->begun
				? longest_in(l, x.start_ns, begun, begun + c->begun)
				: UINT32_MAX);
}

static void add_lane(struct buf *b, const struct track *t, const struct lane *l, struct span tile)
{
	struct cell_time cells[TILE_CELLS];
	size_t begun = lane_begun(l, tile.start_ns);
	unsigned char *at = (unsigned char *)buf_reserve(b, TILE_CELLS * (size_t)CELL_BYTES);

	if (t->values)
		value_cells_read(t->values, l, tile, TILE_CELLS, cells);
	else
		cells_read(l, tile, TILE_CELLS, cells);
	for (size_t i = 0; i < TILE_CELLS; i++) {
		put_cell(at + i * CELL_BYTES, t, l, &cells[i],
			 (struct span){cell_edge(tile, TILE_CELLS, i),
				       cell_edge(tile, TILE_CELLS, i + 1)},
			 begun);
		begun += cells[i].begun;
	}
	b->len += TILE_CELLS * (size_t)CELL_BYTES;
}

int route_tile(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	const char *version = request_value(r, "v");
	struct tile t;

	if (tile_read(s, r, &t, e) < 0)
		return -1;
	ret->type = "application/octet-stream";
	ret->is_constant = version && strcmp(version, s->fingerprint) == 0;
	buf_adds(&ret->body, "GWT1");
	add_u32(&ret->body, t.count);
	for (size_t i = 0; i < t.count; i++) {
		const struct track *track = &s->scene.set->all[t.tracks[i]];
		const struct lanes *lanes = track_set_lanes(s->scene.set, t.tracks[i]);
		const size_t sent = lanes->count < t.lanes ? lanes->count : t.lanes;

		add_u32(&ret->body, track->number);
		add_u32(&ret->body, lanes->count);
		add_u32(&ret->body, sent);
		for (size_t l = 0; l < sent; l++)
			add_lane(&ret->body, track, &lanes->all[l], t.span);
	}
	return 0;
}
