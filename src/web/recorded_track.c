/* What of a track is kept in a file? */
#include "web/recorded_track.h"

#include "base/mem.h"
#include "web/ask_self.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many events of a lane does a tile list, and so many where most of them may be unasked for. */
enum { MOST_EVENTS = 2048, FEW_EVENTS = 512, CELL_BYTES = 12 };

static const struct lanes *lanes_of(const struct recorded_track *t)
{
	return &t->site->scene.set->all[t->track].lanes;
}

static int64_t tile_ns(int level)
{
	return (int64_t)TILE_CELLS << level;
}

/* One tile is as long as all of it. */
static int top_level(struct span all)
{
	int level = 0;

	while (level < TILE_LEVELS - 1 && tile_ns(level) < sat_sub(all.end_ns, all.start_ns))
		level++;
	return level;
}

static int64_t floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

static struct span span_of(const struct site *s, int level, int64_t index)
{
	const int64_t from = site_meant_ns(s, index * tile_ns(level));

	return (struct span){from, sat_add(from, tile_ns(level))};
}

static size_t lane_events(const struct lane *l, struct span x)
{
	const size_t from = lane_from(l, x.start_ns), end = lane_begun(l, x.end_ns);

	return end > from ? end - from : 0;
}

/* Of the lane that has most. */
static size_t most_events(const struct lanes *lanes, struct span x)
{
	size_t most = 0;

	for (size_t i = 0; i < lanes->count && i < RECORDED_LANES; i++) {
		const size_t n = lane_events(&lanes->all[i], x);

		most = n > most ? n : most;
	}
	return most;
}

/* In all lanes: one that goes on in the next tile is counted once. */
static size_t begun_in(const struct lanes *lanes, struct span x)
{
	size_t events = 0;

	for (size_t i = 0; i < lanes->count && i < RECORDED_LANES; i++)
		events += lane_begun(&lanes->all[i], x.end_ns) -
			  lane_begun(&lanes->all[i], x.start_ns);
	return events;
}

static size_t kept_lanes(const struct recorded_track *t)
{
	const size_t all = lanes_of(t)->count;

	return all < RECORDED_LANES ? all : (size_t)RECORDED_LANES;
}

static void ask(struct recorded_track *t, const char *route, int level, int64_t index,
		const char *more, struct reply *ret)
{
	SCOPED_BUF url = {0};

	buf_addf(&url, "%s?tracks=%zu&level=%d&index=%" PRId64 "&depth=%d%s", route,
		 t->site->scene.set->all[t->track].number, level, index, RECORDED_LANES, more);
	ask_self(t->site, url.s, ret);
}

static void add_index(struct recorded_level *l, int64_t index, bool is_leaf)
{
	if (l->count == l->cap) {
		l->cap = mem_next_cap(l->cap, l->count + 1);
		l->index = mem_resize(l->index, l->cap, sizeof(*l->index));
		l->is_leaf = mem_resize(l->is_leaf, l->cap, sizeof(*l->is_leaf));
	}
	l->index[l->count] = index;
	l->is_leaf[l->count++] = is_leaf;
}

/* The head of a tile is left out: 8 bytes, and 12 of the track. */
static void add_cells(struct recorded_track *t, int level, int64_t index)
{
	static const char nothing[TILE_CELLS * CELL_BYTES];
	const size_t head = 20, lanes = kept_lanes(t);
	struct packed *cells = &t->levels[level].cells;
	struct reply reply;

	ask(t, "/tile", level, index, "", &reply);
	t->is_whole &= reply.status == 200;
	if (reply.status == 200 && reply.body.len > head) {
		packed_add(cells, (struct str){reply.body.s + head, reply.body.len - head});
	} else {
		for (size_t i = 0; i < lanes; i++)
			packed_add(cells, (struct str){nothing, sizeof(nothing)});
	}
	reply_free(&reply);
}

static void add_events(struct recorded_track *t, int level, int64_t index, bool is_leaf)
{
	const struct str none = STR_LIT("{\"names\": [], \"tracks\": [{\"lanes\": []}]}");
	struct recorded_level *l = &t->levels[level];
	struct reply reply;

	ask(t, "/events", level, index, is_leaf ? "&all=1" : "", &reply);
	t->is_whole &= reply.status == 200;
	packed_add(&l->events, l->count > 1 ? STR_LIT(",") : STR_LIT("["));
	packed_add(&l->events, reply.status == 200 ? buf_str(&reply.body) : none);
	reply_free(&reply);
}

/* A leaf is drawn from its events, unless there is no other tile to be seen from afar. */
static void add_tile(struct recorded_track *t, int level, int64_t index, bool is_leaf, bool is_top)
{
	add_index(&t->levels[level], index, is_leaf);
	if (!is_leaf || is_top)
		add_cells(t, level, index);
	add_events(t, level, index, is_leaf);
}

/* Each tile has a number and a digit, with commas between. */
static bool is_too_long(const struct recorded_track *t)
{
	const size_t least_of_tile = strlen("0,0,");
	size_t length = 0;

	for (int i = 0; i < TILE_LEVELS; i++) {
		const struct recorded_level *l = &t->levels[i];

		length += packed_length(&l->cells) + packed_length(&l->events) +
			  l->count * least_of_tile;
	}
	return length > t->most;
}

/* Whether what is below a tile that is no leaf is wished for. */
static bool goes_on(const struct recorded_wish *w, int top, int level, bool is_wanted,
		    size_t events)
{
	if (!level)
		return false;
	if (w->goes_down && is_wanted)
		return true;
	/* What would be a leaf is not worth cells of its own. */
	return level > top - w->levels && (w->lists_events || events > MOST_EVENTS);
}

/*
 * It lists its events. One that lies across an edge of the part, where no others are wished for,
 * has few of them: what is outside may have no room.
 */
static bool is_leaf_of(const struct recorded_wish *w, int level, struct span x, size_t events)
{
	const bool is_inside = x.start_ns >= w->part.start_ns && x.end_ns <= w->part.end_ns;

	if (!w->lists_events && !(w->goes_down && span_overlap(x, w->part) > 0))
		return false;
	return !level || events <= (w->lists_events || is_inside ? MOST_EVENTS : FEW_EVENTS);
}

/* false: it has become too long. */
static bool see(struct recorded_track *t, const struct recorded_wish *w, int level, int64_t index)
{
	const struct span x = span_of(t->site, level, index);
	const size_t events = most_events(lanes_of(t), x);
	const bool is_leaf = is_leaf_of(w, level, x, events);
	const bool is_wanted = span_overlap(x, w->part) > 0;

	if (!events)
		return true;
	/* Beside the part it is seen from as far as elsewhere. */
	if (level < t->top - w->levels && !is_wanted && !w->lists_events) {
		t->is_at_end = false;
		return true;
	}
	add_tile(t, level, index, is_leaf, level == t->top);
	t->events += is_leaf ? begun_in(lanes_of(t), x) : 0;
	if (is_too_long(t))
		return false;
	if (is_leaf)
		return true;
	if (goes_on(w, t->top, level, is_wanted, events))
		return see(t, w, level - 1, 2 * index) && see(t, w, level - 1, 2 * index + 1);
	t->is_whole &= !is_wanted;
	t->is_at_end = false;
	return true;
}

bool recorded_track_make(struct recorded_track *t, struct site *s, size_t track,
			 const struct recorded_wish *w, size_t most)
{
	const struct span all = s->status.limits;
	const int top = top_level(all);
	const int64_t first = floor_div(site_told_ns(s, all.start_ns), tile_ns(top));
	const int64_t last = floor_div(site_told_ns(s, all.end_ns), tile_ns(top));
	bool fits = true;

	*t = (struct recorded_track){
		.site = s,
		.track = track,
		.is_whole = s->scene.set->all[track].lanes.count <= RECORDED_LANES,
		.is_at_end = true,
		.most = most,
		.top = top,
	};
	for (int64_t i = first; i <= last && fits; i++)
		fits = see(t, w, top, i);
	return fits;
}

static void write_level(const struct recorded_track *t, int level, struct recorded_level *l,
			struct buf *b)
{
	buf_addf(b, "%s\"%zu/%d\": {\"index\": [", b->len ? ",\n" : "",
		 t->site->scene.set->all[t->track].number, level);
	for (size_t i = 0; i < l->count; i++)
		buf_addf(b, "%s%" PRId64, i ? "," : "", l->index[i]);
	buf_adds(b, "], \"leaf\": [");
	for (size_t i = 0; i < l->count; i++)
		buf_adds(b, l->is_leaf[i] ? i ? ",1" : "1" : i ? ",0" : "0");
	buf_addf(b, "], \"lanes\": %zu, \"cells\": \"", kept_lanes(t));
	packed_write(&l->cells, b);
	buf_adds(b, "\", \"events\": \"");
	packed_add(&l->events, STR_LIT("]"));
	packed_write(&l->events, b);
	buf_adds(b, "\"}");
}

void recorded_track_write(struct recorded_track *t, struct buf *b)
{
	for (int level = 0; level < TILE_LEVELS; level++) {
		if (t->levels[level].count)
			write_level(t, level, &t->levels[level], b);
	}
}

void recorded_track_free(struct recorded_track *t)
{
	for (int i = 0; i < TILE_LEVELS; i++) {
		free(t->levels[i].index);
		free(t->levels[i].is_leaf);
		packed_free(&t->levels[i].cells);
		packed_free(&t->levels[i].events);
	}
	*t = (struct recorded_track){0};
}
