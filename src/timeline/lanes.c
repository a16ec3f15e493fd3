/* Which events lie beside each other? */
#include "timeline/lanes.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum { AT_ONCE = 256 };

/* Events that are to be put into lanes. */
struct packing {
	const struct lane_source *source;
	uint32_t *ids; /* NULL: first_id and those that follow */
	uint32_t first_id;
	size_t count;
	atomic_bool unsorted, overlaps;
};

static void read_some(const struct packing *p, size_t begin, size_t count, struct lane_event *ret)
{
	uint32_t ids[AT_ONCE];

	for (size_t i = 0; !p->ids && i < count; i++)
		ids[i] = p->first_id + (uint32_t)(begin + i);
	p->source->read(p->source, p->ids ? p->ids + begin : ids, count, ret);
}

/*
 * Of those that begin together the longer comes first, for it lies around the others; but before
 * it one that takes no time, which nothing can lie around.
 */
static int64_t key_by_end(const struct lane_event *e)
{
	return e->end_ns == e->start_ns ? INT64_MIN : ~e->end_ns;
}

static bool is_before(const struct lane_event *a, const struct lane_event *b)
{
	return a->start_ns != b->start_ns ? a->start_ns < b->start_ns
					  : key_by_end(a) < key_by_end(b);
}

/* Whether events lie in order, and follow one another; each run is looked at with the one before.
 */
static void check_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct packing *p = ctx;
	struct lane_event here[AT_ONCE], last;

	(void)worker;
	if (begin)
		read_some(p, begin - 1, 1, &last);
	for (size_t i = begin; i < end && !p->unsorted; i += AT_ONCE) {
		const size_t count = end - i < AT_ONCE ? end - i : AT_ONCE;

		read_some(p, i, count, here);
		for (size_t k = 0; k < count; k++) {
			if (i + k > 0 && is_before(&here[k], &last))
				p->unsorted = true;
			if (i + k > 0 && here[k].start_ns < last.end_ns)
				p->overlaps = true;
			last = here[k];
		}
	}
}

static void check_order(struct packing *p)
{
	p->unsorted = p->overlaps = false;
	parallel_each(p->count, PARALLEL_ROWS, check_some, p);
}

/* One of the two times, as a number to sort by. */
struct keys {
	const struct packing *packing;
	int64_t *all;
	bool by_end;
};

static void list_some_keys(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct keys *keys = ctx;
	struct lane_event here[AT_ONCE];

	(void)worker;
	for (size_t i = begin; i < end; i += AT_ONCE) {
		const size_t count = end - i < AT_ONCE ? end - i : AT_ONCE;

		read_some(keys->packing, i, count, here);
		for (size_t k = 0; k < count; k++)
			keys->all[i + k] = keys->by_end ? key_by_end(&here[k]) : here[k].start_ns;
	}
}

static int64_t *list_keys(const struct packing *p, bool by_end)
{
	struct keys keys = {p, mem_alloc(p->count, sizeof(*keys.all)), by_end};

	parallel_each(p->count, PARALLEL_ROWS, list_some_keys, &keys);
	return keys.all;
}

/* Those of equal keys stay as they are: the last key first. */
static void sort_by(struct packing *p, bool by_end)
{
	int64_t *keys = list_keys(p, by_end);
	uint32_t *order = sort_new_order(keys, p->count);

	free(keys);
	for (size_t i = 0; i < p->count; i++)
		order[i] = p->ids ? p->ids[order[i]] : p->first_id + order[i];
	free(p->ids);
	p->ids = order;
}

/*
 * Until when lanes are taken, with the least and the most of each two above: heap-like trees whose
 * leaves, one for each lane, are their second half.
 */
struct ends {
	int64_t *least, *most;
	size_t room, count;
};

static void look_below(struct ends *e, size_t at)
{
	const size_t left = 2 * at, right = left + 1;

	e->least[at] = e->least[left] < e->least[right] ? e->least[left] : e->least[right];
	e->most[at] = e->most[left] > e->most[right] ? e->most[left] : e->most[right];
}

static void free_ends(struct ends *e)
{
	free(e->least);
	free(e->most);
}

/* A lane that nobody has used is free at any time. */
static void grow_ends(struct ends *e)
{
	const size_t room = e->room ? 2 * e->room : 16;
	struct ends more = {mem_alloc(2 * room, sizeof(*more.least)),
			    mem_alloc(2 * room, sizeof(*more.most)), room, e->count};

	for (size_t i = 0; i < room; i++)
		more.least[room + i] = more.most[room + i] =
			i < e->count ? e->least[e->room + i] : INT64_MIN;
	for (size_t i = room - 1; i > 0; i--)
		look_below(&more, i);
	free_ends(e);
	*e = more;
}

/* The first lane below all that hold something around an event. */
static size_t below_outer(const struct ends *e, const struct lane_event *event)
{
	/* One that ends when this begins is not around it. */
	const int64_t until_ns =
		event->end_ns > event->start_ns ? event->end_ns : sat_add(event->start_ns, 1);
	size_t at = 1;

	if (e->most[1] < until_ns)
		return 0;
	while (at < e->room)
		at = 2 * at + (e->most[2 * at + 1] >= until_ns);
	return at - e->room + 1;
}

/* The leaf of the first lane from one on that is free by then; 0: there is no room for it. */
static size_t find_free(const struct ends *e, size_t from, int64_t start_ns)
{
	size_t at = from ? e->room + from : 1;

	if (from >= e->room)
		return 0;
	while (e->least[at] > start_ns) {
		while (at & 1)
			at /= 2;
		if (!at)
			return 0;
		at++;
	}
	while (at < e->room)
		at = 2 * at + (e->least[2 * at] > start_ns);
	return at;
}

static size_t take_lane(struct ends *e, const struct lane_event *event, bool nests)
{
	const size_t from = nests ? below_outer(e, event) : 0;
	size_t at, lane;

	while ((at = find_free(e, from, event->start_ns)) == 0)
		grow_ends(e);
	lane = at - e->room;
	e->count = lane < e->count ? e->count : lane + 1;
	e->least[at] = e->most[at] = event->end_ns;
	for (at /= 2; at; at /= 2)
		look_below(e, at);
	return lane;
}

/* The lane of each event, in order of time. */
static uint32_t *choose_lanes(const struct packing *p, size_t *ret_count)
{
	uint32_t *lane_of = mem_alloc(p->count, sizeof(*lane_of));
	struct lane_event here[AT_ONCE];
	struct ends ends = {0};

	grow_ends(&ends);
	for (size_t i = 0; i < p->count; i += AT_ONCE) {
		const size_t count = p->count - i < AT_ONCE ? p->count - i : AT_ONCE;

		read_some(p, i, count, here);
		for (size_t k = 0; k < count; k++)
			lane_of[i + k] = (uint32_t)take_lane(&ends, &here[k], p->source->nests);
	}
	*ret_count = ends.count;
	free_ends(&ends);
	return lane_of;
}

/* By the lane of each event, in order of time. */
static void deal_out(struct lanes *ret, struct packing *p, const uint32_t *lane_of)
{
	size_t *counts = mem_zalloc(ret->count, sizeof(*counts));
	uint32_t **ids = mem_alloc(ret->count, sizeof(*ids));

	for (size_t i = 0; i < p->count; i++)
		counts[lane_of[i]]++;
	for (size_t l = 0; l < ret->count; l++)
		ids[l] = mem_alloc(counts[l], sizeof(**ids));
	for (size_t i = p->count; i > 0; i--)
		ids[lane_of[i - 1]][--counts[lane_of[i - 1]]] =
			p->ids ? p->ids[i - 1] : p->first_id + (uint32_t)(i - 1);
	for (size_t i = 0; i < p->count; i++)
		counts[lane_of[i]]++;
	free(p->ids);
	ret->all = mem_zalloc(ret->count, sizeof(*ret->all));
	for (size_t l = 0; l < ret->count; l++)
		lane_make(&ret->all[l], p->source, ids[l], 0, counts[l]);
	ret->spilt = p->count - counts[0];
	free(counts);
	free(ids);
}

static void put_in_order(struct packing *p)
{
	check_order(p);
	if (!p->unsorted)
		return;
	sort_by(p, true);
	sort_by(p, false);
	check_order(p);
}

void lanes_pack(struct lanes *ret, const struct lane_source *source, uint32_t *ids,
		uint32_t first_id, size_t count)
{
	struct packing p = {.source = source, .ids = ids, .first_id = first_id, .count = count};
	uint32_t *lane_of;

	*ret = (struct lanes){.events = count};
	put_in_order(&p);
	if (p.overlaps) {
		lane_of = choose_lanes(&p, &ret->count);
		deal_out(ret, &p, lane_of);
		free(lane_of);
		return;
	}
	ret->all = mem_zalloc(1, sizeof(*ret->all));
	ret->count = 1;
	lane_make(&ret->all[0], source, p.ids, first_id, count);
}

void lanes_pack_chosen(struct lanes *ret, const struct lane_source *source, const uint32_t *lane_of,
		       size_t lanes, size_t count)
{
	struct packing p = {.source = source, .count = count};
	uint32_t *in_order = mem_alloc(count, sizeof(*in_order));

	*ret = (struct lanes){.events = count, .count = lanes};
	put_in_order(&p);
	for (size_t i = 0; i < count; i++)
		in_order[i] = lane_of[p.ids ? p.ids[i] : i];
	deal_out(ret, &p, in_order);
	free(in_order);
}

void lanes_shift(struct lanes *l, int64_t by_ns)
{
	for (size_t i = 0; i < l->count; i++) {
		struct lane *lane = &l->all[i];

		lane->shift_ns = sat_add(lane->shift_ns, by_ns);
		for (size_t b = 0; b < lane->block_count; b++)
			lane->blocks[b].start_ns = sat_add(lane->blocks[b].start_ns, by_ns);
	}
}

void lanes_free(struct lanes *l)
{
	for (size_t i = 0; i < l->count; i++)
		lane_free(&l->all[i]);
	free(l->all);
	*l = (struct lanes){0};
}
