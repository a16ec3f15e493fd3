/* Which values stand at given places of the order, without putting all of them in order? */
#include "analysis/numbers/nth_values.h"

#include "analysis/numbers/by_group.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

enum { GATHER_RANGES = 3, GATHER_PIECE = 1 << 18 };

/* Offsets from low[k] on, size[k] of them. A range that nobody needs has none. */
struct gather_ranges {
	uint64_t low[GATHER_RANGES], size[GATHER_RANGES];
};

enum { BLOCK = 16 }; /* values that are dismissed at once */

struct gathering {
	const struct offsets *values;
	const struct gather_ranges *in;
	const size_t *begin;
	void *out;
};

/* In as many bits as values have: so many more are compared at once. */
OFFSETS_LOOP bool is_inside(const struct gather_ranges *in, const void *at, bool wide, size_t i)
{
	bool inside = false;

	for (size_t k = 0; k < GATHER_RANGES; k++)
		inside |= wide ? ((const uint64_t *)at)[i] - in->low[k] < in->size[k]
			       : ((const uint32_t *)at)[i] - (uint32_t)in->low[k] <
					  (uint32_t)in->size[k];
	return inside;
}

OFFSETS_LOOP size_t take_block(const struct gathering *g, bool wide, size_t begin, size_t end,
			       size_t next)
{
	for (size_t i = begin; i < end; i++) {
		if (!is_inside(g->in, g->values->at, wide, i))
			continue;
		if (wide)
			((uint64_t *)g->out)[next++] = ((const uint64_t *)g->values->at)[i];
		else
			((uint32_t *)g->out)[next++] = ((const uint32_t *)g->values->at)[i];
	}
	return next;
}

OFFSETS_LOOP void take_some(const struct gathering *g, bool wide, size_t begin, size_t end)
{
	const struct gather_ranges in = *g->in;
	size_t next = g->begin[begin / GATHER_PIECE];

	for (; end - begin >= BLOCK; begin += BLOCK) {
		unsigned any = 0;

		for (size_t i = begin; i < begin + BLOCK; i++)
			any |= is_inside(&in, g->values->at, wide, i);
		if (any)
			next = take_block(g, wide, begin, begin + BLOCK, next);
	}
	take_block(g, wide, begin, end, next);
}

static void take_piece(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct gathering *g = ctx;

	(void)worker;
	if (g->values->wide)
		take_some(g, true, begin, end);
	else
		take_some(g, false, begin, end);
}

/*
 * Copies what lies in the ranges, in its order, to `out`. `begin` says for every GATHER_PIECE
 * values where those of them go: all cores copy at once. Quick where few do.
 */
static void offsets_gather(const struct offsets *values, size_t n, const struct gather_ranges *in,
			   const size_t *begin, void *out)
{
	struct gathering g = {values, in, begin, out};

	parallel_each(n, GATHER_PIECE, take_piece, &g);
}

enum {
	FIRST_BITS = 8, /* buckets of the first look: 2⁸ to each power of two, single ones below */
	MANY_BITS = 10, /* … or 2¹⁰ where values are many … */
	MOST_BITS = 12, /* … or 2¹² where that finds them all */
	MANY = 1 << 16,
	NEXT_BITS = 11, /* of the next: an interval is cut into 2¹¹ */
	NEXT = 1 << NEXT_BITS,
	FEW = 3, /* wanted places come as pairs of neighbours, which are nearly always together */
	PIECE = GATHER_PIECE,
	WORTH_IT = 16, /* at most one value in so many is of interest after the first look */
};

/* Values from `low` on, 2^bits of them; all values are taken as distances from the smallest. */
struct interval {
	uint64_t low;
	int bits;
};

/* A look at all values: how many are in each bucket. */
struct look {
	struct offsets values;
	size_t n;
	uint64_t min;
	int first_bits;
	struct interval in[NTH_MAX]; /* the next looks: what is cut into buckets */
	size_t intervals;	     /* 0 for the first look */
	uint32_t *counts;	     /* by piece and bucket; a last interval is for the others */
	size_t buckets;
	void *gathered; /* the values of interest, once the others have gone */
};

/* A wanted value. */
struct wanted {
	struct interval in;
	size_t place; /* among the values in it */
	size_t rank;  /* among all */
};

OFFSETS_LOOP size_t first_bucket(uint64_t x, int bits)
{
	int shift = 63 - bits - __builtin_clzll(x | UINT64_C(1) << bits);

	return ((size_t)shift << bits) + (x >> shift);
}

static struct interval first_interval(size_t bucket, int bits)
{
	int shift = bucket >> bits < 2 ? 0 : (int)(bucket >> bits) - 1;

	return (struct interval){(bucket - ((size_t)shift << bits)) << shift, shift};
}

static int next_shift(const struct interval *in)
{
	return in->bits > NEXT_BITS ? in->bits - NEXT_BITS : 0;
}

OFFSETS_LOOP void count_first(const struct look *l, size_t begin, size_t end, bool wide,
			      uint32_t *counts)
{
	const uint64_t min = l->min;
	const int bits = l->first_bits;

	for (size_t i = begin; i < end; i++)
		counts[first_bucket(offset_at(l->values.at, wide, i) - min, bits)]++;
}

/* `intervals` is a constant: as many as there are, or more, which then are empty. */
OFFSETS_LOOP void count_next(const struct look *l, size_t begin, size_t end, bool wide,
			     size_t intervals, uint32_t *counts)
{
	const uint64_t min = l->min;
	uint64_t low[NTH_MAX], size[NTH_MAX];
	int shift[NTH_MAX];

	for (size_t k = 0; k < intervals; k++) {
		low[k] = k < l->intervals ? l->in[k].low : 0;
		size[k] = k < l->intervals ? UINT64_C(1) << l->in[k].bits : 0;
		shift[k] = k < l->intervals ? next_shift(&l->in[k]) : 0;
	}
	for (size_t i = begin; i < end; i++) {
		uint64_t x = offset_at(l->values.at, wide, i) - min;
		size_t bucket = l->intervals * NEXT + i % NEXT;

		for (size_t k = 0; k < intervals; k++)
			bucket = x - low[k] < size[k] ? k * NEXT + ((x - low[k]) >> shift[k])
						      : bucket;
		counts[bucket]++;
	}
}

OFFSETS_LOOP void count_some(const struct look *l, size_t begin, size_t end, bool wide,
			     uint32_t *counts)
{
	if (!l->intervals)
		count_first(l, begin, end, wide, counts);
	else if (l->intervals <= FEW)
		count_next(l, begin, end, wide, FEW, counts);
	else
		count_next(l, begin, end, wide, NTH_MAX, counts);
}

static void count_piece(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct look *l = ctx;
	uint32_t *counts = l->counts + begin / PIECE * l->buckets;

	(void)worker;
	if (l->values.wide)
		count_some(l, begin, end, true, counts);
	else
		count_some(l, begin, end, false, counts);
}

static size_t pieces_of(const struct look *l)
{
	return (l->n + PIECE - 1) / PIECE;
}

static void count_all(struct look *l, size_t buckets)
{

	l->buckets = buckets;
	l->counts = mem_zalloc(pieces_of(l) * buckets, sizeof(*l->counts));
	parallel_each(l->n, PIECE, count_piece, l);
}

static size_t count_in_piece(const struct look *l, size_t piece, size_t bucket)
{
	return l->counts[piece * l->buckets + bucket];
}

static size_t count_of(const struct look *l, size_t bucket)
{
	size_t pieces = pieces_of(l), sum = 0;

	for (size_t i = 0; i < pieces; i++)
		sum += count_in_piece(l, i, bucket);
	return sum;
}

/* A walk over buckets, which goes on from place to place. */
struct walk {
	size_t bucket;
	size_t before; /* values in the buckets that were passed */
};

static void walk_to(struct walk *w, const struct look *l, size_t place)
{
	size_t here;

	while (here = count_of(l, w->bucket), place - w->before >= here) {
		w->before += here;
		w->bucket++;
	}
}

static bool is_same(const struct interval *a, const struct interval *b)
{
	return a->low == b->low && a->bits == b->bits;
}

/* Wanted values in the same interval are beside each other; those found have none. */
static void choose_intervals(struct look *l, const struct wanted *w, size_t count)
{
	l->intervals = 0;
	for (size_t k = 0; k < count; k++) {
		if (w[k].in.bits && (!k || !is_same(&w[k].in, &w[k - 1].in)))
			l->in[l->intervals++] = w[k].in;
	}
}

/*
 * What the intervals cover. Between neighbours of the order there is nothing, so that theirs become
 * one. False: there are too many.
 */
static bool find_ranges(const struct look *l, const struct wanted *w, size_t count,
			struct gather_ranges *ret)
{
	const struct wanted *last = NULL;
	size_t ranges = 0;

	*ret = (struct gather_ranges){0};
	for (size_t k = 0; k < count; k++) {
		const uint64_t low = l->min + w[k].in.low, size = UINT64_C(1) << w[k].in.bits;

		if (!w[k].in.bits)
			continue;
		if (!last || (w[k].rank > last->rank + 1 && !is_same(&w[k].in, &last->in))) {
			if (ranges == GATHER_RANGES)
				return false;
			ret->low[ranges++] = low;
		}
		ret->size[ranges - 1] = low + size - ret->low[ranges - 1];
		last = &w[k];
	}
	return ranges > 0;
}

/* How many values of a piece the first look has found in the intervals. */
static size_t count_inside(const struct look *l, size_t piece)
{
	size_t sum = 0;

	for (size_t k = 0; k < l->intervals; k++)
		sum += count_in_piece(l, piece, first_bucket(l->in[k].low, l->first_bits));
	return sum;
}

/* Leaves what is in the intervals, if that is little: the next looks are at it alone. */
static void drop_others(struct look *l, const struct wanted *w, size_t count)
{
	size_t *begin, left = 0, pieces = pieces_of(l);
	struct gather_ranges in;

	if (!find_ranges(l, w, count, &in))
		return;
	begin = mem_alloc(pieces, sizeof(*begin));
	for (size_t i = 0; i < pieces; i++) {
		begin[i] = left;
		left += count_inside(l, i);
	}
	if (left <= l->n / WORTH_IT) {
		l->gathered = mem_alloc(left, l->values.wide ? sizeof(uint64_t) : sizeof(uint32_t));
		offsets_gather(&l->values, l->n, &in, begin, l->gathered);
		l->values.at = l->gathered;
		l->n = left;
	}
	free(begin);
}

/* The more values there are, the finer buckets pay. */
static int choose_first_bits(size_t n, uint64_t range)
{
	if (n < MANY)
		return FIRST_BITS;
	return range >> MOST_BITS < 2 ? MOST_BITS : MANY_BITS;
}

static void look_first(struct look *l, struct wanted *w, size_t count, uint64_t range)
{
	struct walk walk = {0};

	l->first_bits = choose_first_bits(l->n, range);
	count_all(l, first_bucket(range, l->first_bits) + 1);
	for (size_t k = 0; k < count; k++) {
		walk_to(&walk, l, w[k].place);
		w[k].place -= walk.before;
		w[k].in = first_interval(walk.bucket, l->first_bits);
	}
	choose_intervals(l, w, count);
	drop_others(l, w, count);
	free(l->counts);
}

static void narrow(const struct look *l, struct walk *walk, struct wanted *w)
{
	const int shift = next_shift(&w->in);

	walk_to(walk, l, w->place);
	w->place -= walk->before;
	w->in.low += (uint64_t)(walk->bucket % NEXT) << shift;
	w->in.bits = shift;
}

/* False when all are found. */
static bool look_next(struct look *l, struct wanted *w, size_t count)
{
	struct walk walk = {0};

	choose_intervals(l, w, count);
	if (!l->intervals)
		return false;
	count_all(l, (l->intervals + 1) * NEXT);
	for (size_t k = 0, in = 0; k < count; k++) {
		if (!w[k].in.bits)
			continue;
		if (!is_same(&w[k].in, &l->in[in]))
			walk = (struct walk){.bucket = ++in * NEXT};
		narrow(l, &walk, &w[k]);
	}
	free(l->counts);
	return true;
}

void nth_values_find(const struct offsets *values, size_t n, uint64_t min, uint64_t max,
		     const size_t *place, size_t places, uint64_t *ret)
{
	struct look l = {.values = *values, .n = n, .min = min};
	struct wanted wanted[NTH_MAX];

	for (size_t k = 0; k < places; k++)
		wanted[k] = (struct wanted){.place = place[k], .rank = place[k]};
	look_first(&l, wanted, places, max - min);
	while (look_next(&l, wanted, places))
		;
	free(l.gathered);
	for (size_t k = 0; k < places; k++)
		ret[k] = min + wanted[k].in.low;
}
