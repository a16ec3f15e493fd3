/* Which kernels were replaced, n by m? */
#include "base/mem.h"
#include "diff/matching/match_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double in_range = 0.5, across_ranges = 0.4; /* how sure blocks are */
static const double near_in_step = 0.1; /* of a step: ranges tell no more where a leaf is */

/* What is not matched of a path, and how many firm anchors lie before it. */
struct blocks {
	struct match_list open[SIDES];
	size_t *slots[SIDES];
};

static bool are_near(const struct match_leaf *a, const struct match_leaf *b)
{
	return fabs(a->at - b->at) <= near_in_step;
}

/* All that has the slot of a leaf of the side after. */
static struct match_list take_block(const struct matching *x, const struct blocks *b,
				    enum side side, size_t after)
{
	const struct match_list *open = &b->open[side];
	struct match_list block = {mem_alloc(open->count + 1, sizeof(uint32_t)), 0};

	for (size_t i = 0; i < open->count; i++) {
		if (b->slots[side][i] == b->slots[AFTER][after] &&
		    !x->leaves[side][open->leaves[i]].matched)
			block.leaves[block.count++] = open->leaves[i];
	}
	return block;
}

static bool share_path(const struct matching *x, const struct match_list block[SIDES])
{
	const uint32_t path = x->leaves[AFTER][block[AFTER].leaves[0]].path;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < block[side].count; i++) {
			if (x->leaves[side][block[side].leaves[i]].path != path)
				return false;
		}
	}
	return true;
}

static void add_block(struct matching *x, struct blocks *b, size_t after)
{
	struct match_list block[SIDES];

	for (int side = 0; side < SIDES; side++)
		block[side] = take_block(x, b, (enum side)side, after);
	if (block[BEFORE].count)
		matching_add(x, MATCH_BLOCK, share_path(x, block) ? in_range : across_ranges,
			     block[BEFORE].leaves, block[BEFORE].count, block[AFTER].leaves,
			     block[AFTER].count);
	free(block[BEFORE].leaves);
	free(block[AFTER].leaves);
}

static void block_open(struct matching *x, const struct match_list path[SIDES], struct blocks *b)
{
	const size_t all = path[BEFORE].count + path[AFTER].count;

	match_count_firm(x, path, b->slots);
	for (int side = 0; side < SIDES; side++)
		match_keep_open(x, (enum side)side, &path[side], b->slots[side]);
	for (size_t i = 0; i < b->open[AFTER].count; i++) {
		if (!x->leaves[AFTER][b->open[AFTER].leaves[i]].matched &&
		    matching_may_compare(x, all))
			add_block(x, b, i);
	}
	free(b->slots[BEFORE]);
	free(b->slots[AFTER]);
}

static void block_path(struct matching *x, const struct match_list path[SIDES], void *ctx)
{
	struct blocks b = {.open = {match_open_leaves(x, BEFORE, &path[BEFORE]),
				    match_open_leaves(x, AFTER, &path[AFTER])}};

	(void)ctx;
	if (b.open[BEFORE].count && b.open[AFTER].count)
		block_open(x, path, &b);
	free(b.open[BEFORE].leaves);
	free(b.open[AFTER].leaves);
}

/* The nearest leaf of a block before or after the i-th of a range, launched as often, with no
 * anchor between that is; NULL: there is none. */
static const struct match_leaf *find_neighbour(const struct matching *x, enum side side,
					       const struct match_list *path, size_t i, int step)
{
	const struct match_leaf *of = &x->leaves[side][path->leaves[i]];
	bool beside = true; /* no anchor at all is between */

	for (size_t k = i + (size_t)step; k < path->count; k += (size_t)step) {
		const struct match_leaf *l = &x->leaves[side][path->leaves[k]];

		beside &= !l->anchors;
		if (!match_same_calls(l->calls, of->calls))
			continue;
		if (l->anchors || !(beside || are_near(l, of)))
			return NULL;
		if (l->block)
			return l;
	}
	return NULL;
}

static void join_block(struct matching *x, enum side side, uint32_t leaf, uint32_t block)
{
	struct match *m = &x->to->all[block - 1];
	uint32_t *leaves = arena_alloc(&x->to->arena, m->count[side] + 1, sizeof(*leaves));

	memcpy(leaves, m->leaves[side], m->count[side] * sizeof(*leaves));
	leaves[m->count[side]++] = leaf;
	m->leaves[side] = leaves;
	m->sure = across_ranges;
	x->leaves[side][leaf].matched = true;
	x->leaves[side][leaf].block = block;
}

/* The block that the i-th of a range lies beside; 0: none, or it may belong to either of two. */
static uint32_t block_beside(const struct matching *x, enum side side,
			     const struct match_list *path, size_t i)
{
	const struct match_leaf *before = find_neighbour(x, side, path, i, -1),
				*after = find_neighbour(x, side, path, i, 1);

	if (before && after && before->block != after->block)
		return 0;
	return before ? before->block : after ? after->block : 0;
}

/*
 * What is left beside a block, of another range, is part of it where nothing else took its place:
 * several kernels became fewer, and it is one of these. What is beside the fewer came anew. How
 * many is in `ctx`: it is how many more leaves the side has to have: of ranges that have nothing
 * but the step around them a new one may lie beside any block.
 */
static void extend_blocks(struct matching *x, const struct match_list path[SIDES], void *ctx)
{
	const size_t least = *(const size_t *)ctx;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < path[side].count; i++) {
			const struct match *m;
			uint32_t block;

			if (x->leaves[side][path[side].leaves[i]].matched ||
			    !matching_may_compare(x, path[side].count))
				continue;
			block = block_beside(x, (enum side)side, &path[side], i);
			m = block ? &x->to->all[block - 1] : NULL;
			if (m && m->count[side] >= m->count[!side] + least)
				join_block(x, (enum side)side, path[side].leaves[i], block);
		}
	}
}

/* How many ranges the innermost path has of what is not matched; 0: none is, or in no range. */
static size_t open_depth(const struct matching *x)
{
	size_t deepest = 0;

	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < x->sides->of[side].leaf_count; i++) {
			const struct match_leaf *l = &x->leaves[side][i];
			const char *at = x->texts.items[l->path].s;
			size_t depth = at[0] != '\0';

			if (l->matched || l->is_idle)
				continue;
			while ((at = strstr(at, " / ")) && depth < MATCH_INNERMOST) {
				at += 3;
				depth++;
			}
			deepest = depth > deepest ? depth : deepest;
		}
	}
	return deepest;
}

/*
 * A compiler fuses what several ranges launched, and the kernel is in one of them, or in another:
 * what is left between those that match is looked for with what lies in ranges inside theirs, then
 * in the range around them, and so on up to the step.
 */
void match_blocks(struct matching *x)
{
	match_each_range(x, MATCH_INNERMOST, block_path, NULL);
	for (size_t around = open_depth(x) + 1; around-- > 0;) {
		size_t least = around ? 0 : 1;

		match_each_range(x, around, block_path, NULL);
		match_each_range(x, around, extend_blocks, &least);
	}
}
