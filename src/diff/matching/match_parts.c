/* Which kernels became one, or several, in some places of a range, and are as they were in others?
 */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/matching/match_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A loop of an optimizer launches the same kernels for each tensor, with many grids. Where three of
 * them become one in some of its places, none is gone: each is launched less often. So what counts
 * is how often a kernel is launched in a range, whatever its grids: three that are launched N times
 * less became the one that is launched N times and was not there before.
 */

static const double sure = 0.5;
static const double near_in_step =
	0.1;			    /* of a step: so far apart are things that belong together */
static const double jitter = 0.002; /* of a step, by which a call is elsewhere in another run */
static const double nowhere = 0.4; /* of a step: who is off by so much may be anywhere in a range */
static const double few_calls = 0.25; /* a step: by less steps of one kind differ */
enum { TIMES_MAX = 3 };		      /* that a kernel is among those that became one */

/* A leaf of a range that may have lost calls. */
struct part_leaf {
	uint32_t name, leaf;
	enum side side;
};

/* A kernel of a range that one side launches more often. */
struct tally {
	enum side side;	     /* that one */
	bool is_whole;	     /* the other has none of it */
	size_t block;	     /* of the range, from 1; 0: none */
	double calls;	     /* that it has more, a step */
	double at;	     /* where these are, as a share of the step, */
	double off;	     /* and by how much they may be elsewhere */
	size_t slot;	     /* anchors before it, on average, that are launched as often, */
	size_t between;	     /* and all of them */
	size_t firm;	     /* see match_count_firm(): of where it is met first */
	size_t first, count; /* of part_leaf */
};

/* Units of a range, and those that make a block. */
struct tallies {
	struct part_leaf *leaves;
	struct tally *all;
	size_t count;
	bool in_range;	    /* a range tells where they are */
	double step_change; /* of the step: by so much calls may have moved */
	bool *chosen;
	size_t blocks;
};

static int by_name(const void *p, const void *q, void *ctx)
{
	const struct part_leaf *a = p, *b = q;

	(void)ctx;
	if (a->name != b->name)
		return a->name < b->name ? -1 : 1;
	return (int)a->side - (int)b->side;
}

static enum match_how how_of(const struct matching *x, const struct match_leaf *l)
{
	return l->match ? x->to->all[l->match - 1].how : MATCH_GONE;
}

/* What has no match yet, or is matched with the kernel of its own name in its range. */
static bool may_part(const struct matching *x, const struct match_leaf *l)
{
	return !l->match || how_of(x, l) == MATCH_SAME || how_of(x, l) == MATCH_GRID;
}

static size_t list_leaves(const struct matching *x, const struct match_list range[SIDES],
			  struct part_leaf *ret)
{
	size_t count = 0;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < range[side].count; i++) {
			const uint32_t leaf = range[side].leaves[i];
			const struct match_leaf *l = &x->leaves[side][leaf];

			if (may_part(x, l))
				ret[count++] = (struct part_leaf){l->name, leaf, (enum side)side};
		}
	}
	sort_stable(ret, count, sizeof(*ret), by_name, NULL);
	return count;
}

/* Whether a match has no more calls on the other side: what one grid has more, another has not. */
static bool loses_calls(const struct matching *x, const struct match_leaf *l, enum side side)
{
	const struct match *m = l->match ? &x->to->all[l->match - 1] : NULL;
	double calls[SIDES] = {0};

	for (int s = 0; m && s < SIDES; s++) {
		for (size_t i = 0; i < m->count[s]; i++)
			calls[s] += x->leaves[s][m->leaves[s][i]].calls;
	}
	return calls[side] > calls[!side] - few_calls;
}

/* A kernel's leaves as a unit; false: both sides launch it as often, or grids took calls from each
 * other. */
static bool make_unit(const struct matching *x, const struct tallies *u, struct tally *ret)
{
	double calls[SIDES] = {0}, moment[SIDES] = {0};
	uint32_t asked = 0;

	for (size_t i = ret->first; i < ret->first + ret->count; i++) {
		const struct match_leaf *l = &x->leaves[u->leaves[i].side][u->leaves[i].leaf];

		calls[u->leaves[i].side] += l->calls;
		moment[u->leaves[i].side] += l->calls * l->at;
	}
	/* One place of a hundred is a call less. */
	if (fabs(calls[BEFORE] - calls[AFTER]) < few_calls && calls[BEFORE] > 0 && calls[AFTER] > 0)
		return false;
	ret->side = calls[BEFORE] > calls[AFTER] ? BEFORE : AFTER;
	ret->is_whole = calls[!ret->side] == 0;
	ret->calls = calls[ret->side] - calls[!ret->side];
	ret->at = (moment[ret->side] - moment[!ret->side]) / ret->calls;
	ret->off = calls[!ret->side] * (u->step_change + jitter) / ret->calls;
	for (size_t i = ret->first; i < ret->first + ret->count; i++) {
		const struct match_leaf *l = &x->leaves[u->leaves[i].side][u->leaves[i].leaf];

		/* One match may have thousands of grids. */
		if (l->match && l->match == asked)
			continue;
		if (l->match ? !loses_calls(x, l, ret->side) : u->leaves[i].side != ret->side)
			return false;
		asked = how_of(x, l) == MATCH_GRID ? l->match : asked;
	}
	return true;
}

static void list_units(const struct matching *x, struct tallies *u, size_t leaves)
{
	for (size_t i = 0, end; i < leaves; i = end) {
		struct tally *unit = &u->all[u->count];

		for (end = i; end < leaves && u->leaves[end].name == u->leaves[i].name; end++)
			;
		*unit = (struct tally){.first = i, .count = end - i};
		u->count += make_unit(x, u, unit);
	}
}

/* Whether a leaf has a place on both sides, and is launched so often on both. */
static bool is_anchor(const struct matching *x, const struct match_leaf *l, double calls)
{
	const struct match *m = l->anchors ? &x->to->all[l->match - 1] : NULL;

	return m && match_same_calls(x->leaves[BEFORE][m->leaves[BEFORE][0]].calls, calls) &&
	       match_same_calls(x->leaves[AFTER][m->leaves[AFTER][0]].calls, calls);
}

/* How many anchors lie before it: all, those that are launched as often, and firm ones. */
static void find_slots(const struct matching *x, const struct match_list *range, const size_t *firm,
		       uint32_t name, struct tally *unit)
{
	unit->firm = SIZE_MAX;
	for (size_t i = 0; i < range->count; i++) {
		const struct match_leaf *l = &x->leaves[unit->side][range->leaves[i]];

		if (l->name == name && firm[i] < unit->firm)
			unit->firm = firm[i];
		unit->between += l->anchors && l->at < unit->at;
		unit->slot += l->at < unit->at && is_anchor(x, l, unit->calls);
	}
}

/* Whether both may be in one place. Between whole ones nothing lies that is launched as often. */
static bool are_close(const struct tallies *u, const struct tally *a, const struct tally *b)
{
	const double off = a->off + b->off;

	if (a->is_whole && b->is_whole && a->firm != b->firm)
		return false;
	if (a->is_whole && b->is_whole && match_same_calls(a->calls, b->calls))
		return a->slot == b->slot;
	if (off > nowhere)
		return u->in_range;
	return fabs(a->at - b->at) <= near_in_step + off;
}

/* How often a unit is among those that became one: 1, or more where it is there several times. */
static size_t times_in(const struct tally *unit, double calls)
{
	for (size_t n = 1; n <= TIMES_MAX; n++) {
		if (match_same_calls(unit->calls, (double)n * calls))
			return n;
	}
	return 0;
}

/* Chooses those that are `times` as often as one that is whole, and near it; how many. */
static size_t choose(struct tallies *u, const struct tally *of, enum side side, bool often)
{
	size_t count = 0;

	for (size_t i = 0; i < u->count; i++) {
		const struct tally *unit = &u->all[i];
		const size_t times =
			unit->block || unit->side != side ? 0 : times_in(unit, of->calls);

		if (!times || (times > 1) != often || (side == of->side && !unit->is_whole) ||
		    !are_close(u, unit, of))
			continue;
		u->chosen[i] = true;
		count++;
	}
	return count;
}

/* A leaf of a block that was found, and what share of it is, by kind of step; NULL: all of it. */
struct planned {
	size_t block;
	enum side side;
	uint32_t leaf;
	double *share;
};

/* All blocks that were found: leaves are split once it is known how many. */
struct plan {
	struct planned *all;
	size_t count, cap;
	size_t blocks;
	size_t parts[SIDES];
};

static double calls_in_kind(const struct matching *x, const struct match *m, enum side side,
			    size_t kind)
{
	const double steps = (double)x->sides->kinds[kind].steps[side];
	double calls = 0;

	for (size_t i = 0; i < m->count[side]; i++)
		calls += (double)x->sides->of[side].leaves[m->leaves[side][i]].of_kind[kind].calls;
	return steps > 0 ? calls / steps : 0;
}

/* What share of the calls of a match a side has more than the other; in the arena. NULL: none. */
static double *find_shares(const struct matching *x, const struct match *m, enum side side)
{
	double *share = arena_zalloc(&x->to->arena, x->sides->kind_count, sizeof(*share));
	bool any = false;

	for (size_t k = 0; k < x->sides->kind_count; k++) {
		const double more = calls_in_kind(x, m, side, k),
			     less = calls_in_kind(x, m, !side, k);

		/* Of a kind that the other side has not nobody knows. */
		if (x->sides->kinds[k].steps[!side] && more > less)
			share[k] = 1 - less / more;
		any = any || share[k] > 0;
	}
	return any ? share : NULL;
}

static void plan_unit(const struct matching *x, struct plan *p, const struct tallies *u,
		      const struct tally *unit)
{
	double *of_grids = NULL; /* of the match that may have thousands of them */
	uint32_t grids = 0;

	for (size_t i = unit->first; i < unit->first + unit->count; i++) {
		const struct part_leaf *l = &u->leaves[i];
		const uint32_t match = x->leaves[l->side][l->leaf].match;
		double *share = of_grids;

		if (l->side != unit->side)
			continue;
		if (!match || match != grids)
			share = match ? find_shares(x, &x->to->all[match - 1], l->side) : NULL;
		if (match && x->to->all[match - 1].how == MATCH_GRID) {
			grids = match;
			of_grids = share;
		}
		if (match && !share)
			continue;
		p->parts[l->side] += share != NULL;
		MEM_GROW(p->all, p->cap, p->count + 1);
		p->all[p->count++] = (struct planned){p->blocks, l->side, l->leaf, share};
	}
}

/*
 * One became several, or several one: of these at least the one, or the several, are on one side
 * alone, so that something took a place. As many on both sides are told by their order. `one`:
 * those that several became, or came from, alone; the several may be as they were elsewhere.
 */
static void find_block(struct tallies *u, const struct tally *of, bool one)
{
	size_t same, other, often;

	memset(u->chosen, 0, u->count * sizeof(*u->chosen));
	same = choose(u, of, of->side, false);
	other = choose(u, of, !of->side, false);
	often = same == 1 && other ? choose(u, of, !of->side, true) : 0;
	if ((same == 1) != one || !other || (same > 1) == (other + often > 1))
		return;
	u->blocks++;
	for (size_t i = 0; i < u->count; i++) {
		if (u->chosen[i])
			u->all[i].block = u->blocks;
	}
}

static void find_blocks(struct tallies *u, bool one)
{
	for (size_t i = 0; i < u->count; i++) {
		if (u->all[i].is_whole && !u->all[i].block)
			find_block(u, &u->all[i], one);
	}
}

/* Whether something else came or went beside it: then nobody knows what took whose place. */
static bool is_unsure(const struct tallies *u, const struct tally *of)
{
	for (size_t i = 0; i < u->count; i++) {
		const struct tally *unit = &u->all[i];

		if (unit->is_whole && !unit->block &&
		    (unit->between == of->between || fabs(unit->at - of->at) <= near_in_step))
			return true;
	}
	return false;
}

static void drop_block(struct tallies *u, size_t block)
{
	for (size_t i = 0; i < u->count; i++) {
		if (u->all[i].block == block)
			u->all[i].block = 0;
	}
}

/* What a block that is dropped leaves makes others unsure: false where that takes too long. */
static bool drop_unsure(struct matching *x, struct tallies *u)
{
	for (size_t i = 0; i < u->count; i++) {
		if (!u->all[i].block || !u->all[i].is_whole || !is_unsure(u, &u->all[i]))
			continue;
		drop_block(u, u->all[i].block);
		if (!matching_may_compare(x, u->count * u->count))
			return false;
		i = SIZE_MAX; /* from the beginning */
	}
	return true;
}

static void plan_block(const struct matching *x, struct plan *p, const struct tallies *u,
		       size_t block)
{
	const size_t had = p->count;
	size_t of_side[SIDES] = {0}, parts[SIDES] = {p->parts[BEFORE], p->parts[AFTER]};

	for (size_t i = 0; i < u->count; i++) {
		if (u->all[i].block == block)
			plan_unit(x, p, u, &u->all[i]);
	}
	for (size_t i = had; i < p->count; i++)
		of_side[p->all[i].side]++;
	p->blocks++;
	/* Kinds of steps that one side has alone may be all that there is of it. */
	if (!of_side[BEFORE] || !of_side[AFTER]) {
		p->count = had;
		memcpy(p->parts, parts, sizeof(parts));
	}
}

static void plan_range(struct matching *x, const struct match_list range[SIDES], void *ctx)
{
	const size_t most = range[BEFORE].count + range[AFTER].count;
	struct tallies u = {.leaves = mem_alloc(most, sizeof(*u.leaves)),
			    .all = mem_alloc(most, sizeof(*u.all)),
			    .chosen = mem_alloc(most, sizeof(*u.chosen)),
			    .step_change = match_step_change(x)};
	size_t *firm[SIDES];

	u.in_range = x->texts.items[x->leaves[BEFORE][range[BEFORE].leaves[0]].path].len > 0;
	list_units(x, &u, list_leaves(x, range, u.leaves));
	if (matching_may_compare(x, u.count * most)) {
		match_count_firm(x, range, firm);
		for (size_t i = 0; i < u.count; i++)
			find_slots(x, &range[u.all[i].side], firm[u.all[i].side],
				   u.leaves[u.all[i].first].name, &u.all[i]);
		free(firm[BEFORE]);
		free(firm[AFTER]);
		find_blocks(&u, true);
		find_blocks(&u, false);
		if (!drop_unsure(x, &u))
			u.blocks = 0;
		for (size_t block = 1; block <= u.blocks; block++)
			plan_block(x, ctx, &u, block);
	}
	free(u.leaves);
	free(u.all);
	free(u.chosen);
}

static void reserve(struct matching *x, enum side side, size_t parts)
{
	const size_t had = x->sides->of[side].leaf_count;
	struct match_leaf *all = arena_alloc(&x->to->arena, had + parts, sizeof(*all));

	if (!parts)
		return;
	memcpy(all, x->leaves[side], had * sizeof(*all));
	x->leaves[side] = all;
	sides_reserve_parts(x->sides, side, parts);
}

/* The leaf, or the part of it, that goes into its block. */
static uint32_t take_planned(struct matching *x, const struct planned *p)
{
	struct side_runs *of = &x->sides->of[p->side];
	struct match_leaf *from = &x->leaves[p->side][p->leaf];
	const uint32_t part = (uint32_t)of->leaf_count;

	if (!p->share)
		return p->leaf;
	sides_split_leaf(x->sides, p->side, p->leaf, p->share);
	x->leaves[p->side][part] = *from;
	x->leaves[p->side][part].anchors = false;
	x->leaves[p->side][part].calls = (double)of->leaves[part].all.calls / (double)of->weight;
	from->calls -= x->leaves[p->side][part].calls;
	return part;
}

static void add_planned(struct matching *x, const struct plan *p, size_t first, size_t end)
{
	struct match_list lists[SIDES] = {{mem_alloc(end - first, sizeof(uint32_t)), 0},
					  {mem_alloc(end - first, sizeof(uint32_t)), 0}};

	for (size_t i = first; i < end; i++) {
		struct match_list *to = &lists[p->all[i].side];

		to->leaves[to->count++] = take_planned(x, &p->all[i]);
	}
	matching_add(x, MATCH_BLOCK, sure, lists[BEFORE].leaves, lists[BEFORE].count,
		     lists[AFTER].leaves, lists[AFTER].count);
	free(lists[BEFORE].leaves);
	free(lists[AFTER].leaves);
}

void match_parts(struct matching *x)
{
	struct plan p = {0};

	match_each_range(x, MATCH_INNERMOST, plan_range, &p);
	for (int side = 0; side < SIDES; side++)
		reserve(x, (enum side)side, p.parts[side]);
	for (size_t i = 0, end; i < p.count; i = end) {
		for (end = i; end < p.count && p.all[end].block == p.all[i].block; end++)
			;
		add_planned(x, &p, i, end);
	}
	free(p.all);
}
