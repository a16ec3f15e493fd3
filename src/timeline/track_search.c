/* Which events of a track have names that match? */
#include "timeline/track_search.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "text/pattern.h"

#include <stdlib.h>

/* Names come again and again: each is tried once by a worker, known by where its text is. */
struct tried {
	MEM_APART struct pattern *pattern;
	struct idmap known; /* address → 0 or 1 */
};

/* A piece takes so long, whatever the names are like: others wait for the trace meanwhile. */
enum { SHORT_NS = 5000000, LONG_NS = 20000000 };

struct name_search {
	struct tried workers[PARALLEL_MAX];
	unsigned count;
	struct search_patience patience;
	size_t piece; /* blocks that are searched in one go */
	int64_t asked_ns;
};

int name_search_begin(struct name_search **ret, const char *pattern,
		      const struct search_patience *patience, struct err *e)
{
	struct name_search *n = mem_zalloc_apart(1, sizeof(*n));

	n->patience = *patience;
	n->piece = 1;
	n->asked_ns = clock_now_ns();
	for (; n->count < parallel_workers(); n->count++) {
		if (pattern_compile(&n->workers[n->count].pattern, str_of(pattern),
				    PATTERN_ANY_CASE, e) < 0) {
			name_search_end(n);
			return err_wrap(e, "search '%s'", pattern);
		}
	}
	*ret = n;
	return 0;
}

void name_search_end(struct name_search *n)
{
	for (unsigned i = 0; i < n->count; i++) {
		pattern_free(n->workers[i].pattern);
		idmap_free(&n->workers[i].known);
	}
	free(n);
}

static int matches(struct tried *t, struct str name, struct err *e)
{
	const uint64_t key = (uint64_t)(uintptr_t)name.s;
	uint32_t known = idmap_get(&t->known, key);

	if (known == IDMAP_NONE) {
		const int match = pattern_match(t->pattern, name, e);

		if (match < 0)
			return -1;
		known = idmap_add(&t->known, key, match > 0);
	}
	return (int)known;
}

/* The hits of each block of a lane, as bits. */
struct lane_search {
	struct name_search *names;
	const struct track *track;
	const struct lane *lane;
	size_t first; /* block of this piece */
	uint64_t *hits;
};

static int search_blocks(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct lane_search *s = ctx;
	struct tried *t = &s->names->workers[worker];
	struct lane_event events[LANE_BLOCK];

	for (size_t block = s->first + begin; block < s->first + end; block++) {
		const size_t count = lane_block_events(s->lane, block, events);

		for (size_t i = 0; i < count; i++) {
			const int match = matches(t, track_event_name(s->track, &events[i]), e);

			if (match < 0)
				return -1;
			s->hits[block] |= (uint64_t)match << i;
		}
	}
	return 0;
}

static void list_hits(const struct lane_search *s, struct lane_hits *ret)
{
	size_t count = 0;

	_Static_assert(LANE_BLOCK == 64, "a block has a bit for each event");
	for (size_t b = 0; b < s->lane->block_count; b++)
		count += (size_t)__builtin_popcountll(s->hits[b]);
	ret->at = mem_alloc(count, sizeof(*ret->at));
	for (size_t b = 0; b < s->lane->block_count; b++) {
		for (uint64_t left = s->hits[b]; left; left &= left - 1)
			ret->at[ret->count++] =
				(uint32_t)(b * LANE_BLOCK + (size_t)__builtin_ctzll(left));
	}
}

/* The names of one trace; an analysis may add some, and does so under its lock. */
static int search_piece(struct lane_search *s, size_t blocks, struct err *e)
{
	TRACE_LOCK_SCOPE(s->track->part->trace);

	return parallel_for(blocks, PARALLEL_ROWS / LANE_BLOCK, search_blocks, s, e);
}

static int ask_on(struct name_search *n, struct err *e)
{
	const int64_t now_ns = clock_now_ns();

	if (!n->patience.keeps_on || now_ns - n->asked_ns < SHORT_NS)
		return 0;
	n->asked_ns = now_ns;
	return n->patience.keeps_on(n->patience.ctx)
		       ? 0
		       : err_set(e, ERR_SYSTEM, "nobody waits for the hits any more");
}

static int search_pieces(struct name_search *n, struct lane_search *s, struct err *e)
{
	const size_t count = s->lane->block_count;

	while (s->first < count) {
		const size_t left = count - s->first, blocks = left < n->piece ? left : n->piece;
		const int64_t begun_ns = clock_now_ns();
		int64_t took_ns;

		if (search_piece(s, blocks, e) < 0 || ask_on(n, e) < 0)
			return -1;
		took_ns = clock_now_ns() - begun_ns;
		if (took_ns < SHORT_NS && blocks == n->piece)
			n->piece *= 2;
		else if (took_ns > LONG_NS && n->piece > 1)
			n->piece /= 2;
		s->first += blocks;
	}
	return 0;
}

static int search_lane(struct name_search *n, const struct track *t, const struct lane *lane,
		       struct lane_hits *ret, struct err *e)
{
	struct lane_search s = {n, t, lane, 0, mem_zalloc(lane->block_count, sizeof(*s.hits))};
	const int result = search_pieces(n, &s, e);

	if (result == 0)
		list_hits(&s, ret);
	free(s.hits);
	return result;
}

/* The partition of a GPU's time, captures and values have no names of their own. */
static bool has_names(const struct track *t)
{
	return t->kind != TRACK_GPU && t->kind != TRACK_CAPTURE && !t->values;
}

int name_search_track(struct name_search *n, const struct track *t, struct lane_hits **ret,
		      struct err *e)
{
	*ret = NULL;
	if (!has_names(t))
		return 0;
	*ret = mem_zalloc(t->lanes.count, sizeof(**ret));
	for (size_t i = 0; i < t->lanes.count; i++) {
		if (search_lane(n, t, &t->lanes.all[i], &(*ret)[i], e) < 0)
			return -1;
	}
	return 0;
}

void lane_hits_free(struct lane_hits *h, size_t lanes)
{
	for (size_t i = 0; h && i < lanes; i++)
		free(h[i].at);
	free(h);
}
