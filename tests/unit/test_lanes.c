/* Lanes of random events: every sum, longest and next is what a walk over all of them finds. */
#include "base/mem.h"
#include "groups.h"
#include "timeline/cells.h"
#include "timeline/lane_gaps.h"
#include "timeline/lanes.h"
#include "timeline/span_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t seed = 1;

static uint64_t draw(uint64_t below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 11) % below;
}

/* Events by id. */
struct made {
	struct lane_source source;
	struct lane_event *all;
	size_t count;
};

static void read_made(const struct lane_source *self, const uint32_t *ids, size_t count,
		      struct lane_event *ret)
{
	const struct made *m = (const struct made *)self;

	for (size_t i = 0; i < count; i++)
		ret[i] = m->all[ids[i]];
}

/* Overlapping as often as `crowd` says: 0 never. Some take no time, some begin together. */
static struct made make_events(size_t count, uint64_t crowd)
{
	struct made m = {{.read = read_made}, mem_alloc(count, sizeof(*m.all)), count};
	int64_t at_ns = -1000;

	for (size_t i = 0; i < count; i++) {
		const int64_t ns = (int64_t)(draw(5) ? draw(100) : draw(3) * draw(5000));

		m.all[i] = (struct lane_event){at_ns, at_ns + ns, (uint32_t)i, (uint8_t)draw(8)};
		at_ns += crowd && !draw(crowd) ? (int64_t)draw(30)
					       : ns + (int64_t)draw(2) * (int64_t)draw(200);
	}
	return m;
}

/* All the same ids in another order. */
static uint32_t *shuffled(size_t count)
{
	uint32_t *ids = mem_alloc(count, sizeof(*ids));

	for (size_t i = 0; i < count; i++)
		ids[i] = (uint32_t)i;
	for (size_t i = count; i > 1; i--) {
		const size_t k = draw(i);
		const uint32_t id = ids[k];

		ids[k] = ids[i - 1];
		ids[i - 1] = id;
	}
	return ids;
}

static int64_t length(struct lane_event e)
{
	return e.end_ns - e.start_ns;
}

static void check_past(const struct lane *l, int64_t at_ns)
{
	struct lane_past past, walked = {0};
	size_t from = l->count;

	for (size_t i = l->count; i-- > 0;) {
		const struct lane_event e = lane_event(l, i);

		walked.begun += e.start_ns < at_ns;
		if (e.start_ns < at_ns)
			walked.ns[e.class] += (e.end_ns < at_ns ? e.end_ns : at_ns) - e.start_ns;
		if (e.end_ns > at_ns || e.start_ns >= at_ns)
			from = i;
	}
	lane_past(l, at_ns, &past);
	assert_memory_equal(&past, &walked, sizeof(past));
	assert_int_equal(lane_begun(l, at_ns), walked.begun);
	assert_int_equal(lane_from(l, at_ns), from);
}

static void check_part(const struct lane *l, size_t begin, size_t end, int64_t least)
{
	size_t longest = end, gap = end, next = end, previous = end, next_gap = end,
	       previous_gap = end;

	for (size_t i = begin; i < end; i++) {
		const int64_t ns = length(lane_event(l, i)), before = lane_gap(l, i);

		if (longest == end || ns > length(lane_event(l, longest)))
			longest = i;
		if (before >= 0 && (gap == end || before > lane_gap(l, gap)))
			gap = i;
		if (ns >= least)
			previous = i;
		if (ns >= least && next == end)
			next = i;
		if (before >= least)
			previous_gap = i;
		if (before >= least && next_gap == end)
			next_gap = i;
	}
	assert_int_equal(lane_longest(l, begin, end), longest);
	assert_int_equal(lane_longest_gap(l, begin, end), gap);
	assert_int_equal(lane_next_long(l, begin, end, least), next);
	assert_int_equal(lane_previous_long(l, begin, end, least), previous);
	assert_int_equal(lane_next_gap(l, begin, end, least), next_gap);
	assert_int_equal(lane_previous_gap(l, begin, end, least), previous_gap);
}

/* Longest first, and no longer one was passed over. */
static void check_gaps(const struct lane *l, struct span w)
{
	enum { MOST = 9 };
	struct lane_gap found[MOST];
	const size_t count = lane_gaps_find(l, w, found, MOST);
	size_t longer = 0;

	for (size_t i = 0; i < count; i++) {
		const struct span s = found[i].span;

		assert_true(s.start_ns >= w.start_ns && s.end_ns <= w.end_ns);
		assert_true(s.start_ns < s.end_ns);
		/* It lies between two events: before the first and after the last there is none. */
		assert_true(found[i].before > 0 && found[i].before < l->count);
		assert_true(lane_event(l, found[i].before - 1).end_ns <= s.start_ns);
		assert_int_equal(lane_begun(l, s.end_ns), found[i].before);
		assert_true(!i || s.end_ns - s.start_ns <=
					  found[i - 1].span.end_ns - found[i - 1].span.start_ns);
	}
	for (size_t i = 1; i < l->count && count == MOST; i++) {
		const int64_t from = lane_event(l, i - 1).end_ns, to = lane_event(l, i).start_ns;

		longer +=
			(to < w.end_ns ? to : w.end_ns) - (from > w.start_ns ? from : w.start_ns) >
			found[MOST - 1].span.end_ns - found[MOST - 1].span.start_ns;
	}
	assert_true(longer < MOST);
}

/* The time of each class in each cell, as a walk over all events finds it. */
static void check_cells(const struct lane *l, struct span w)
{
	enum { WIDTH = 17 };
	struct cell_time cells[WIDTH];

	if (w.end_ns <= w.start_ns)
		return;
	cells_read(l, w, WIDTH, cells);
	for (size_t c = 0; c < WIDTH; c++) {
		const struct span cell = {cell_edge(w, WIDTH, c), cell_edge(w, WIDTH, c + 1)};
		int64_t ns[LANE_CLASSES] = {0}, busy = 0;
		size_t begun = 0;

		for (size_t i = 0; i < l->count; i++) {
			const struct lane_event e = lane_event(l, i);

			ns[e.class] += span_overlap((struct span){e.start_ns, e.end_ns}, cell);
			begun += e.start_ns >= cell.start_ns && e.start_ns < cell.end_ns;
		}
		assert_memory_equal(cells[c].ns, ns, sizeof(ns));
		assert_int_equal(cells[c].begun, begun);
		for (int i = 0; i < LANE_CLASSES; i++) {
			busy += ns[i];
			assert_true(!ns[i] || ns[i] <= ns[cells[c].first]);
		}
		assert_int_equal(cells[c].eighths > 0, busy > 0 || begun > 0);
		assert_true(cells[c].eighths <= 8 && cells[c].second_eighths <= 4);
	}
}

static void check_lane(const struct lane *l)
{
	const int64_t first = l->count ? lane_event(l, 0).start_ns : 0;
	const int64_t last = l->count ? lane_event(l, l->count - 1).end_ns : 0;

	for (size_t i = 1; i < l->count; i++)
		assert_true(lane_event(l, i).start_ns >= lane_event(l, i - 1).end_ns);
	for (int i = 0; i < 12; i++)
		check_past(l, first - 50 + (int64_t)draw((uint64_t)(last - first + 100)));
	for (int i = 0; i < 4; i++) {
		const int64_t from = first - 50 + (int64_t)draw((uint64_t)(last - first + 100));

		check_gaps(l, (struct span){from, from + (int64_t)draw(4000)});
		check_cells(l, (struct span){from, from + 100 + (int64_t)draw(4000)});
	}
	check_gaps(l, (struct span){first - 50, last + 50});
	for (int i = 0; i < 8 && l->count; i++) {
		const size_t begin = draw(l->count + 1), end = begin + draw(l->count + 1 - begin);

		check_part(l, begin, end, (int64_t)draw(2) * (int64_t)draw(6000));
	}
	check_part(l, 0, l->count, 0);
}

static void finds_what_a_walk_finds(void **state)
{
	(void)state;
	for (size_t i = 0; i < repeats(60); i++) {
		const size_t count = i < 3 ? i : draw(i % 5 ? 400 : 20000);
		struct made m = make_events(count, i % 4);
		uint32_t *ids = i % 3 ? shuffled(count) : NULL;
		bool *seen = mem_zalloc(count, sizeof(*seen));
		struct lanes lanes;
		size_t events = 0;

		lanes_pack(&lanes, &m.source, ids, 0, count);
		assert_int_equal(lanes.events, count);
		for (size_t l = 0; l < lanes.count; l++) {
			check_lane(&lanes.all[l]);
			for (size_t k = 0; k < lanes.all[l].count; k++) {
				assert_false(seen[lane_event(&lanes.all[l], k).id]);
				seen[lane_event(&lanes.all[l], k).id] = true;
			}
			events += lanes.all[l].count;
		}
		assert_int_equal(events, count);
		assert_int_equal(lanes.spilt, count - (lanes.count ? lanes.all[0].count : 0));
		if (i % 4 == 0)
			assert_int_equal(lanes.spilt, 0);
		lanes_free(&lanes);
		free(seen);
		free(m.all);
	}
}

static size_t tree_bytes(const struct max_tree *t)
{
	size_t bytes = 0;

	for (size_t i = 0; i < t->height; i++)
		bytes += t->counts[i] * sizeof(**t->levels);
	return bytes;
}

static size_t id_bytes(const struct packed_ids *p)
{
	const size_t blocks = (p->count + PACKED_BLOCK - 1) / PACKED_BLOCK;

	return p->count * sizeof(*p->codes) + blocks * sizeof(*p->blocks) +
	       p->wide_count * PACKED_BLOCK * sizeof(*p->highs);
}

/* What a lane has beside the columns of its events: sums, trees, and ids. */
static double bytes_an_event(const struct lane *l)
{
	const size_t bytes = l->block_count * sizeof(*l->blocks) + tree_bytes(&l->durations) +
			     tree_bytes(&l->gaps) + id_bytes(&l->ids);

	return (double)bytes / (double)l->count;
}

/* Tables of some kinds, as those of ops: the kind is above the row in an id. */
enum { KINDS = 3, ROW_BITS = 30, ROWS = 400000 };

static void read_kinds(const struct lane_source *self, const uint32_t *ids, size_t count,
		       struct lane_event *ret)
{
	const struct made *m = (const struct made *)self;

	for (size_t i = 0; i < count; i++) {
		const uint32_t row = ids[i] & ((UINT32_C(1) << ROW_BITS) - 1);

		ret[i] = m->all[(ids[i] >> ROW_BITS) * ROWS + row];
	}
}

/*
 * Of events as they follow one another: most of one kind, in tables of which they are every eighth
 * row, and which are written some hundred events sooner or later than it was their turn.
 */
static void draw_near_ids(uint32_t *ids, size_t count)
{
	uint32_t next[KINDS] = {0};

	for (size_t i = 0; i < count; i++) {
		const uint32_t kind = draw(10) < 8 ? 0 : (uint32_t)(1 + draw(KINDS - 1));

		ids[i] = kind << ROW_BITS | next[kind];
		next[kind] += 1 + (uint32_t)draw(15);
		assert_true(next[kind] < ROWS);
	}
	for (size_t i = 0; i < count; i++) {
		const size_t k = i - draw(i < 200 ? i + 1 : 200);
		const uint32_t id = ids[i];

		ids[i] = ids[k];
		ids[k] = id;
	}
}

/* Rows of one kind, of which no two that follow one another lie together. */
static void draw_far_ids(uint32_t *ids, size_t count)
{
	uint32_t *rows = shuffled(ROWS);

	for (size_t i = 0; i < count; i++)
		ids[i] = (uint32_t)draw(KINDS) << ROW_BITS | rows[i];
	free(rows);
}

/* Of a lane of events with these ids, which come in any order. */
static double bytes_of_lane(void (*draw_ids)(uint32_t *ids, size_t count))
{
	enum { EVENTS = 40000 };
	struct made m = {{.read = read_kinds}, NULL, (size_t)KINDS * ROWS};
	uint32_t *ids = mem_alloc(EVENTS, sizeof(*ids)), *mixed = shuffled(EVENTS);
	struct lanes lanes;
	double bytes;

	m.all = mem_zalloc(m.count, sizeof(*m.all));
	draw_ids(ids, EVENTS);
	for (uint32_t i = 0; i < EVENTS; i++)
		m.all[(ids[i] >> ROW_BITS) * ROWS + (ids[i] & ((UINT32_C(1) << ROW_BITS) - 1))] =
			(struct lane_event){100 * (int64_t)i, 100 * (int64_t)i + 60, ids[i], 0};
	for (size_t i = 0; i < EVENTS; i++)
		mixed[i] = ids[mixed[i]];
	lanes_pack(&lanes, &m.source, mixed, 0, EVENTS);
	assert_int_equal(lanes.count, 1);
	for (size_t i = 0; i < EVENTS; i++)
		assert_int_equal(lane_event(&lanes.all[0], i).id, ids[i]);
	bytes = bytes_an_event(&lanes.all[0]);
	lanes_free(&lanes);
	free(ids);
	free(m.all);
	return bytes;
}

/*
 * Sums and trees take under 2 bytes an event, and that is all where events lie as their table has
 * them. The ids of others take 2.3 where those of 64 that follow one another lie near four places:
 * in the traces that bench/run grows, two blocks in ten thousand do not. Where none does, as in a
 * table without any order, it is 4.3, and 5.7 in all: the worst case.
 */
static void needs_few_bytes_an_event(void **state)
{
	enum { EVENTS = 200000 };
	struct made m = make_events(EVENTS, 0);
	struct lanes lanes;

	(void)state;
	lanes_pack(&lanes, &m.source, NULL, 0, EVENTS);
	assert_int_equal(lanes.count, 1);
	assert_true(bytes_an_event(&lanes.all[0]) <= 2);
	lanes_free(&lanes);
	free(m.all);
	assert_true(bytes_of_lane(draw_near_ids) <= 4);
	assert_true(bytes_of_lane(draw_far_ids) <= 5.75);
}

/* Ranges in ranges lie by their depth. */
static void puts_the_inner_below(void **state)
{
	static const struct lane_event nested[] = {
		{0, 100, 0, 0}, {0, 40, 1, 1},	{10, 20, 2, 2},	  {20, 30, 3, 2},
		{50, 90, 4, 1}, {60, 60, 5, 2}, {100, 120, 6, 0},
	};
	static const size_t depths[] = {0, 1, 2, 2, 1, 2, 0};
	struct made m = {{.read = read_made}, (struct lane_event *)nested, ARRAY_LEN(nested)};
	struct lanes lanes;

	(void)state;
	lanes_pack(&lanes, &m.source, shuffled(m.count), 0, m.count);
	assert_int_equal(lanes.count, 3);
	for (size_t l = 0; l < lanes.count; l++) {
		for (size_t k = 0; k < lanes.all[l].count; k++)
			assert_int_equal(depths[lane_event(&lanes.all[l], k).id], l);
	}
	lanes_free(&lanes);
}

/* What begins a little before a step, and is in it for the most part, is of that step. */
static void finds_what_a_span_belongs_to(void **state)
{
	static const struct lane_event steps[] = {
		{0, 100, 0, 0}, {100, 200, 1, 0}, {210, 300, 2, 0}};
	static const struct {
		struct span x;
		size_t at;
	} cases[] = {
		{{90, 180}, 1}, {{90, 105}, 0},	 {{150, 150}, 1}, {{190, 290}, 2}, {{-5, 1}, 0},
		{{80, 300}, 1}, {{202, 204}, 2}, {{50, 150}, 0},  {{290, 900}, 2}, {{300, 900}, 3},
	};
	struct made m = {{.read = read_made}, (struct lane_event *)steps, ARRAY_LEN(steps)};
	struct lanes lanes;

	(void)state;
	lanes_pack(&lanes, &m.source, shuffled(m.count), 0, m.count);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(lane_around(&lanes.all[0], cases[i].x), cases[i].at);
	lanes_free(&lanes);
}

/* Whatever is free above: each lies where it was told to. */
static void keeps_chosen_lanes(void **state)
{
	static const struct lane_event events[] = {
		{50, 60, 0, 0}, {0, 10, 1, 0}, {20, 30, 2, 0}, {5, 25, 3, 0}};
	static const uint32_t lane_of[] = {1, 0, 1, 2};
	struct made m = {{.read = read_made}, (struct lane_event *)events, ARRAY_LEN(events)};
	struct lanes lanes;

	(void)state;
	lanes_pack_chosen(&lanes, &m.source, lane_of, 3, m.count);
	assert_int_equal(lanes.count, 3);
	for (size_t l = 0; l < lanes.count; l++) {
		for (size_t k = 0; k < lanes.all[l].count; k++)
			assert_int_equal(lane_of[lane_event(&lanes.all[l], k).id], l);
	}
	assert_int_equal(lanes.all[1].count, 2);
	assert_int_equal(lane_event(&lanes.all[1], 0).id, 2);
	lanes_free(&lanes);
}

/* Whether one lies around the other, which may not be as long. */
static bool is_around(struct lane_event outer, struct lane_event inner)
{
	const bool begins_later = outer.start_ns < inner.start_ns ||
				  (outer.start_ns == inner.start_ns && length(inner) > 0);

	return begins_later && outer.end_ns >= inner.end_ns && outer.end_ns > inner.start_ns &&
	       length(outer) > length(inner);
}

/* Where the source nests, also while others overlap them. */
static void keeps_the_inner_below(void **state)
{
	(void)state;
	for (size_t i = 0; i < repeats(20); i++) {
		const size_t count = draw(i % 5 ? 100 : 700);
		struct made m = make_events(count, 1 + i % 3);
		size_t *lane_of = mem_zalloc(count, sizeof(*lane_of));
		struct lanes lanes;

		m.source.nests = true;
		lanes_pack(&lanes, &m.source, shuffled(count), 0, count);
		for (size_t l = 0; l < lanes.count; l++) {
			check_lane(&lanes.all[l]);
			for (size_t k = 0; k < lanes.all[l].count; k++)
				lane_of[lane_event(&lanes.all[l], k).id] = l;
		}
		for (size_t a = 0; a < count; a++) {
			for (size_t b = 0; b < count; b++) {
				if (is_around(m.all[a], m.all[b]))
					assert_true(lane_of[a] < lane_of[b]);
			}
		}
		lanes_free(&lanes);
		free(lane_of);
		free(m.all);
	}
}

static void assert_span(const struct span_source *s, uint32_t i, struct derived_span want)
{
	const struct derived_span got = span_source_at(s, i);
	struct lane_event event;

	s->base.read(&s->base, &i, 1, &event);
	assert_true(got.start_ns == want.start_ns && event.start_ns == want.start_ns);
	assert_true(got.end_ns == want.end_ns && event.end_ns == want.end_ns);
	assert_int_equal(got.of, want.of);
	assert_int_equal(got.class, want.class);
	assert_int_equal(event.class, want.class);
}

/* Also where 32 bits are too few for how long one is, and where most stand for nothing. */
static void keeps_derived_spans_as_they_came(void **state)
{
	static const int64_t limit = UINT32_MAX;
	static const struct derived_span spans[] = {
		{-5, -5, 0, 1},
		{0, limit - 1, 0, 2},
		{0, limit, 0, 3},
		{0, limit + 1, 7, 4},
		{INT64_MIN, INT64_MAX, 0, 5},
		{9, 10, 8, 6},
		{INT64_MAX, INT64_MAX, 0, 7},
	};
	struct span_source s;

	(void)state;
	span_source_begin(&s);
	for (size_t i = 0; i < 100; i++)
		span_source_add(&s, spans[i % ARRAY_LEN(spans)]);
	for (uint32_t i = 0; i < 100; i++)
		assert_span(&s, i, spans[i % ARRAY_LEN(spans)]);
	span_source_add(&s, spans[0]);
	span_source_extend(&s, limit);
	assert_span(&s, 100, (struct derived_span){-5, limit, 0, 1});
	span_source_extend(&s, 2 * limit);
	assert_span(&s, 100, (struct derived_span){-5, 2 * limit, 0, 1});
	span_source_extend(&s, 3);
	assert_span(&s, 100, (struct derived_span){-5, 3, 0, 1});
	span_source_free(&s);
}

int lanes_tests(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_what_a_walk_finds),
		cmocka_unit_test(needs_few_bytes_an_event),
		cmocka_unit_test(puts_the_inner_below),
		cmocka_unit_test(finds_what_a_span_belongs_to),
		cmocka_unit_test(keeps_chosen_lanes),
		cmocka_unit_test(keeps_the_inner_below),
		cmocka_unit_test(keeps_derived_spans_as_they_came),
	};

	return cmocka_run_group_tests_name("lanes", tests, NULL, NULL);
}
