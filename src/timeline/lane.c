/* Sums, longest and next events of a lane. */
#include "timeline/lane.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"

#include <stdbool.h>
#include <stdlib.h>

/* Some events of a lane, at most one block and the event before it. */
struct events_here {
	struct lane_event all[LANE_BLOCK + 1];
	size_t begin, count; /* begin: the number of the first */
};

/* At most one block and the event before it. */
static void read_ids(const struct lane *l, size_t begin, size_t end, struct lane_event *ret)
{
	uint32_t ids[LANE_BLOCK + 1];

	if (l->ids.count)
		packed_ids_read(&l->ids, begin, end, ids);
	for (size_t i = begin; !l->ids.count && i < end; i++)
		ids[i - begin] = l->first_id + (uint32_t)i;
	l->source->read(l->source, ids, end - begin, ret);
	for (size_t i = 0; l->shift_ns && i < end - begin; i++) {
		ret[i].start_ns = sat_add(ret[i].start_ns, l->shift_ns);
		ret[i].end_ns = sat_add(ret[i].end_ns, l->shift_ns);
	}
}

static void read_events(const struct lane *l, size_t begin, size_t end, struct events_here *ret)
{
	ret->begin = begin;
	ret->count = end - begin;
	read_ids(l, begin, end, ret->all);
}

static size_t block_end(const struct lane *l, size_t block)
{
	const size_t end = (block + 1) * LANE_BLOCK;

	return end < l->count ? end : l->count;
}

static void read_block(const struct lane *l, size_t block, struct events_here *ret)
{
	read_events(l, block * LANE_BLOCK, block_end(l, block), ret);
}

/* With the event before it, if there is one. */
static void read_block_and_before(const struct lane *l, size_t block, struct events_here *ret)
{
	read_events(l, block * LANE_BLOCK - (block > 0), block_end(l, block), ret);
}

static int64_t duration(const struct lane_event *e)
{
	return sat_sub(e->end_ns, e->start_ns);
}

/* Before the event at a place of what was read; the lane's first has none. */
static int64_t gap_before(const struct events_here *h, size_t at)
{
	return at ? sat_sub(h->all[at].start_ns, h->all[at - 1].end_ns) : -1;
}

struct making {
	struct lane *lane;
	int64_t *durations, *gaps;
};

static void make_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct making *m = ctx;
	struct events_here h;

	(void)worker;
	for (size_t block = begin; block < end; block++) {
		struct lane_block *b = &m->lane->blocks[block];
		int64_t longest = 0, gap = -1;

		read_block_and_before(m->lane, block, &h);
		*b = (struct lane_block){.start_ns = h.all[block > 0].start_ns};
		for (size_t i = block > 0; i < h.count; i++) {
			const int64_t ns = duration(&h.all[i]), before = gap_before(&h, i);

			b->before[h.all[i].class] = sat_add(b->before[h.all[i].class], ns);
			longest = ns > longest ? ns : longest;
			gap = before > gap ? before : gap;
		}
		m->durations[block] = longest;
		m->gaps[block] = gap;
	}
}

/* Each block knows its own times: from here on it knows those of all before it. */
static void add_up(struct lane *l)
{
	int64_t all[LANE_CLASSES] = {0};

	for (size_t b = 0; b < l->block_count; b++) {
		for (int c = 0; c < LANE_CLASSES; c++) {
			const int64_t own = l->blocks[b].before[c];

			l->blocks[b].before[c] = all[c];
			all[c] = sat_add(all[c], own);
		}
	}
}

void lane_make(struct lane *l, const struct lane_source *source, uint32_t *ids, uint32_t first_id,
	       size_t count)
{
	const size_t blocks = count ? (count - 1) / LANE_BLOCK + 1 : 0;
	struct making m = {.lane = l};

	*l = (struct lane){.source = source, .first_id = first_id, .count = count};
	if (ids)
		packed_ids_make(&l->ids, ids, count);
	free(ids);
	l->blocks = mem_alloc(blocks, sizeof(*l->blocks));
	l->block_count = blocks;
	m.durations = mem_alloc(blocks, sizeof(*m.durations));
	m.gaps = mem_alloc(blocks, sizeof(*m.gaps));
	parallel_each(blocks, PARALLEL_ROWS / LANE_BLOCK, make_some, &m);
	add_up(l);
	max_tree_make(&l->durations, m.durations, blocks);
	max_tree_make(&l->gaps, m.gaps, blocks);
}

void lane_free(struct lane *l)
{
	packed_ids_free(&l->ids);
	free(l->blocks);
	max_tree_free(&l->durations);
	max_tree_free(&l->gaps);
	*l = (struct lane){0};
}

struct lane_event lane_event(const struct lane *l, size_t i)
{
	struct events_here h;

	read_events(l, i, i + 1, &h);
	return h.all[0];
}

size_t lane_block_events(const struct lane *l, size_t block, struct lane_event ret[LANE_BLOCK])
{
	read_ids(l, block * LANE_BLOCK, block_end(l, block), ret);
	return block_end(l, block) - block * LANE_BLOCK;
}

/* The block that holds the last event that begins before a moment; block_count: none does. */
static size_t block_of(const struct lane *l, int64_t at_ns)
{
	const size_t after = BISECT(0, l->block_count, b, l->blocks[b].start_ns < at_ns);

	return after ? after - 1 : l->block_count;
}

static size_t count_begun(const struct events_here *h, int64_t at_ns)
{
	return BISECT(0, h->count, i, h->all[i].start_ns < at_ns);
}

size_t lane_begun(const struct lane *l, int64_t at_ns)
{
	const size_t block = block_of(l, at_ns);
	struct events_here h;

	if (block == l->block_count)
		return 0;
	read_block(l, block, &h);
	return h.begin + count_begun(&h, at_ns);
}

size_t lane_from(const struct lane *l, int64_t at_ns)
{
	const size_t begun = lane_begun(l, at_ns);

	return begun && lane_event(l, begun - 1).end_ns > at_ns ? begun - 1 : begun;
}

static int64_t part_of(const struct lane *l, size_t i, struct span x)
{
	const struct lane_event e = lane_event(l, i);

	return span_overlap((struct span){e.start_ns, e.end_ns}, x);
}

size_t lane_around(const struct lane *l, struct span x)
{
	const size_t at = lane_from(l, x.start_ns);

	return at + 1 < l->count && part_of(l, at + 1, x) > part_of(l, at, x) ? at + 1 : at;
}

void lane_past(const struct lane *l, int64_t at_ns, struct lane_past *ret)
{
	const size_t block = block_of(l, at_ns);
	struct events_here h;
	size_t begun;

	*ret = (struct lane_past){0};
	if (block == l->block_count)
		return;
	read_block(l, block, &h);
	begun = count_begun(&h, at_ns);
	ret->begun = h.begin + begun;
	for (int c = 0; c < LANE_CLASSES; c++)
		ret->ns[c] = l->blocks[block].before[c];
	for (size_t i = 0; i < begun; i++) {
		const struct lane_event *e = &h.all[i];
		const int64_t until = e->end_ns < at_ns ? e->end_ns : at_ns;

		ret->ns[e->class] = sat_add(ret->ns[e->class], sat_sub(until, e->start_ns));
	}
}

/* One of two numbers that events have, and where the largest of each block are. */
struct measure {
	const struct lane *lane;
	const struct max_tree *blocks;
	int64_t (*of)(const struct events_here *h, size_t at);
};

static int64_t duration_at(const struct events_here *h, size_t at)
{
	return duration(&h->all[at]);
}

static struct measure durations_of(const struct lane *l)
{
	return (struct measure){l, &l->durations, duration_at};
}

static struct measure gaps_of(const struct lane *l)
{
	return (struct measure){l, &l->gaps, gap_before};
}

/* Numbers of events. */
struct part {
	size_t begin, end;
};

/* The events of a block that lie in a part, as places of what is read of it. */
static struct part read_part(const struct lane *l, size_t block, struct part p,
			     struct events_here *h)
{
	size_t begin, end;

	read_block_and_before(l, block, h);
	begin = h->begin + (block > 0);
	end = h->begin + h->count;
	begin = begin < p.begin ? p.begin : begin;
	end = end < p.end ? end : p.end;
	return (struct part){begin - h->begin, end - h->begin};
}

/* The first event of a block with so much, or the last; p.end: none in the part has. */
static size_t find_in_block(struct measure m, size_t block, struct part p, int64_t least, bool last)
{
	struct events_here h;
	const struct part here = read_part(m.lane, block, p, &h);
	size_t found = p.end;

	for (size_t at = here.begin; at < here.end && (last || found == p.end); at++) {
		if (m.of(&h, at) >= least)
			found = h.begin + at;
	}
	return found;
}

/* In the blocks of a part, at most its first and last lie outside it with some of their events. */
static size_t find_next(struct measure m, struct part p, int64_t least)
{
	const size_t end = p.begin < p.end ? (p.end - 1) / LANE_BLOCK + 1 : 0;
	size_t block = p.begin / LANE_BLOCK, found = p.end;

	for (; block < end && found == p.end; block++) {
		block = max_tree_next(m.blocks, block, end, least);
		if (block < end)
			found = find_in_block(m, block, p, least, false);
	}
	return found;
}

static size_t find_previous(struct measure m, struct part p, int64_t least)
{
	const size_t begin = p.begin / LANE_BLOCK;
	size_t end = p.begin < p.end ? (p.end - 1) / LANE_BLOCK + 1 : 0, found = p.end;

	while (begin < end && found == p.end) {
		const size_t block = max_tree_previous(m.blocks, begin, end, least);

		if (block == end)
			break;
		found = find_in_block(m, block, p, least, true);
		end = block;
	}
	return found;
}

struct longest {
	size_t at;
	int64_t ns;
};

static void look_in_block(struct measure m, size_t block, struct part p, struct longest *ret)
{
	struct events_here h;
	const struct part here = read_part(m.lane, block, p, &h);

	for (size_t at = here.begin; at < here.end; at++) {
		const int64_t ns = m.of(&h, at);

		if (ns > ret->ns)
			*ret = (struct longest){h.begin + at, ns};
	}
}

/* Of whole blocks it is known which has the largest. */
static size_t find_longest(struct measure m, struct part p)
{
	const size_t first = p.begin / LANE_BLOCK, last = p.end ? (p.end - 1) / LANE_BLOCK : 0;
	struct longest l = {p.end, -1};

	if (p.begin >= p.end)
		return p.end;
	look_in_block(m, first, p, &l);
	if (first + 1 < last)
		look_in_block(m, max_tree_largest(m.blocks, first + 1, last), p, &l);
	if (first < last)
		look_in_block(m, last, p, &l);
	return l.at;
}

/* Of few: what is around them need not be read. */
static size_t longest_of_few(const struct lane *l, size_t begin, size_t end)
{
	struct events_here h;
	struct longest longest = {end, -1};

	read_events(l, begin, end, &h);
	for (size_t at = 0; at < h.count; at++) {
		if (duration(&h.all[at]) > longest.ns)
			longest = (struct longest){begin + at, duration(&h.all[at])};
	}
	return longest.at;
}

size_t lane_longest(const struct lane *l, size_t begin, size_t end)
{
	if (begin < end && end - begin <= LANE_BLOCK)
		return longest_of_few(l, begin, end);
	return find_longest(durations_of(l), (struct part){begin, end});
}

size_t lane_next_long(const struct lane *l, size_t begin, size_t end, int64_t least_ns)
{
	return find_next(durations_of(l), (struct part){begin, end}, least_ns);
}

size_t lane_previous_long(const struct lane *l, size_t begin, size_t end, int64_t least_ns)
{
	return find_previous(durations_of(l), (struct part){begin, end}, least_ns);
}

size_t lane_longest_gap(const struct lane *l, size_t begin, size_t end)
{
	return find_longest(gaps_of(l), (struct part){begin, end});
}

size_t lane_next_gap(const struct lane *l, size_t begin, size_t end, int64_t least_ns)
{
	return find_next(gaps_of(l), (struct part){begin, end}, least_ns);
}

size_t lane_previous_gap(const struct lane *l, size_t begin, size_t end, int64_t least_ns)
{
	return find_previous(gaps_of(l), (struct part){begin, end}, least_ns);
}

int64_t lane_gap(const struct lane *l, size_t i)
{
	struct events_here h;

	read_events(l, i - (i > 0), i + 1, &h);
	return gap_before(&h, i > 0);
}
