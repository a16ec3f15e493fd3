/* Which leaves of a range are the same by their grid, how often they are launched, and where? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/matching/match_order.h"

#include <math.h>
#include <stdlib.h>

/*
 * Somebody renamed kernels, and one of them takes longer: neither its name nor its time tells what
 * it was, but a range that launches as many kernels of that grid as before, as often, has it still.
 * Where some came or went beside it, it may be one of several that became fewer: those are told by
 * what speaks for each pair, or are a block.
 */

static const double sure = 0.6;
static const double once = 1.5; /* a step: what is launched more often */
static const double far =
	0.1; /* of a step: beyond that, and what the step changed by, is elsewhere */
static const double jitter = 0.002; /* of a step, by which a leaf is elsewhere in another run */

/* What is known of a leaf of a range. */
enum standing {
	APART,	 /* of a match of several, or elsewhere */
	COUNTED, /* both sides have it, or as many of its shape */
	CHANGED, /* one side has more of its shape */
};

struct shape {
	uint32_t grid, leaf;
	enum side side;
	double calls;
	size_t at;	   /* in its range */
	size_t end, pairs; /* of the first of a shape: see take_shape() */
};

/* What a range has on both sides, in the order of the step. */
struct shapes {
	const struct matching *x;
	const struct match_list *range;
	enum standing *standing[SIDES];
	struct shape *all; /* those that are not matched */
	size_t count;
	size_t *firm[SIDES]; /* see match_count_firm() */
	double moved;	     /* of a step: by so much a leaf may be elsewhere */
};

static int by_shape(const void *p, const void *q, void *ctx)
{
	const struct shape *a = p, *b = q;

	(void)ctx;
	if (a->grid != b->grid)
		return a->grid < b->grid ? -1 : 1;
	return (a->calls > b->calls) - (a->calls < b->calls);
}

static int by_side(const void *p, const void *q, void *ctx)
{
	const struct shape *a = p, *b = q;

	(void)ctx;
	if (a->side != b->side)
		return a->side < b->side ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static const struct match_leaf *leaf_at(const struct shapes *s, enum side side, size_t at)
{
	return &s->x->leaves[side][s->range[side].leaves[at]];
}

static void list_shapes(struct shapes *s)
{
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < s->range[side].count; i++) {
			const struct match_leaf *l = leaf_at(s, (enum side)side, i);

			s->standing[side][i] = !l->matched ? CHANGED : l->anchors ? COUNTED : APART;
			/* A copy has no shape. */
			if (!l->matched && s->x->texts.items[l->grid].len)
				s->all[s->count++] = (struct shape){l->grid,
								    s->range[side].leaves[i],
								    (enum side)side,
								    l->calls,
								    i,
								    0,
								    0};
		}
	}
	sort_stable(s->all, s->count, sizeof(*s->all), by_shape, NULL);
}

/* Puts those of one shape in order, side by side. The first then says where they end, and how many
 * each side has of them; 0: the other has another number. */
static void take_shape(struct shapes *s, size_t begin)
{
	size_t end = begin + 1, before = 0;

	while (end < s->count && s->all[end].grid == s->all[begin].grid &&
	       match_same_calls(s->all[end - 1].calls, s->all[end].calls))
		end++;
	sort_stable(&s->all[begin], end - begin, sizeof(*s->all), by_side, NULL);
	while (begin + before < end && s->all[begin + before].side == BEFORE)
		before++;
	s->all[begin].end = end;
	s->all[begin].pairs = 2 * before == end - begin ? before : 0;
}

/* Whether the next leaf in a direction, or the next that is launched as often, is of those that
 * came or went. */
static bool is_beside_change(const struct shapes *s, const struct shape *of, size_t step)
{
	for (size_t i = of->at + step; i < s->range[of->side].count; i += step) {
		const enum standing is = s->standing[of->side][i];

		if (is == CHANGED && i == of->at + step)
			return true;
		if (is != APART && match_same_calls(leaf_at(s, of->side, i)->calls, of->calls))
			return is == CHANGED;
	}
	return false;
}

/* How many that are launched as often come before it. */
static size_t rank_of(const struct shapes *s, const struct shape *of)
{
	size_t rank = 0;

	for (size_t i = 0; i < of->at; i++)
		rank += s->standing[of->side][i] == COUNTED &&
			match_same_calls(leaf_at(s, of->side, i)->calls, of->calls);
	return rank;
}

/*
 * Where something takes longer, what comes after it moves, and of two that are launched in turn now
 * the one may be first, now the other. What is launched once is overtaken by nothing.
 */
static bool have_same_place(const struct shapes *s, const struct shape *a, const struct shape *b)
{
	const double apart = fabs(leaf_at(s, a->side, a->at)->at - leaf_at(s, b->side, b->at)->at);

	return s->firm[a->side][a->at] == s->firm[b->side][b->at] && apart <= s->moved + far &&
	       (rank_of(s, a) == rank_of(s, b) || (a->calls > once && apart <= s->moved));
}

static bool is_sure(const struct shapes *s, const struct shape *a)
{
	return !is_beside_change(s, a, 1) && !is_beside_change(s, a, SIZE_MAX);
}

static void match_shape(struct matching *x, const struct shapes *s, const struct shape *before,
			const struct shape *after)
{
	const double like =
		match_likeness(&x->leaves[BEFORE][before->leaf], &x->leaves[AFTER][after->leaf]);

	if (match_same_calls(before->calls, after->calls) && is_sure(s, before) &&
	    is_sure(s, after) && have_same_place(s, before, after))
		matching_add(x, MATCH_ORDER, fmax(like, sure), &before->leaf, 1, &after->leaf, 1);
}

static void match_shapes(struct matching *x, struct shapes *s)
{
	const size_t most = s->range[BEFORE].count + s->range[AFTER].count;

	for (size_t i = 0; i < s->count; i = s->all[i].end) {
		take_shape(s, i);
		for (size_t k = i; s->all[i].pairs && k < s->all[i].end; k++)
			s->standing[s->all[k].side][s->all[k].at] = COUNTED;
	}
	for (size_t i = 0; i < s->count; i = s->all[i].end) {
		if (!matching_may_compare(x, 2 * s->all[i].pairs * most))
			return;
		for (size_t k = i; k < i + s->all[i].pairs; k++)
			match_shape(x, s, &s->all[k], &s->all[k + s->all[i].pairs]);
	}
}

static void match_range(struct matching *x, const struct match_list range[SIDES], void *ctx)
{
	const size_t most = range[BEFORE].count + range[AFTER].count;
	struct shapes s = {.x = x,
			   .range = range,
			   .all = mem_alloc(most, sizeof(*s.all)),
			   .moved = match_step_change(x) + jitter};

	(void)ctx;
	for (int side = 0; side < SIDES; side++)
		s.standing[side] = mem_alloc(range[side].count, sizeof(*s.standing[side]));
	list_shapes(&s);
	match_count_firm(x, range, s.firm);
	match_shapes(x, &s);
	for (int side = 0; side < SIDES; side++) {
		free(s.standing[side]);
		free(s.firm[side]);
	}
	free(s.all);
}

void match_by_shape(struct matching *x)
{
	match_each_range(x, MATCH_INNERMOST, match_range, NULL);
}
