/* Which kernels with other names have the same place in the step, and which were replaced? */
#include "diff/match_order.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 1 << 20 }; /* of an alignment, that are kept: beyond it names alone must do */

static const double enough = 0.6; /* likeness without which order says nothing */
static const double in_range = 0.5, across_ranges = 0.4; /* how sure blocks are */
static const double near = 1.3;	  /* times as long, or as often */

static const double near_in_step = 0.1; /* of a step: ranges tell no more where a leaf is */

static bool is_near(double a, double b)
{
	return a > 0 && b > 0 && a < near * b && b < near * a;
}

static bool same_calls(double a, double b)
{
	return fabs(a - b) < 0.02 * (a + b) / 2 + 1e-12;
}

/* How many of the words of two names are in both, 0 to 1. */
static double name_likeness(const struct match_leaf *a, const struct match_leaf *b)
{
	const size_t all = a->word_count + b->word_count;
	size_t common = 0;

	for (size_t i = 0, k = 0; i < a->word_count && k < b->word_count;) {
		if (a->words[i] == b->words[k]) {
			common++;
			i++;
			k++;
		} else if (a->words[i] < b->words[k]) {
			i++;
		} else {
			k++;
		}
	}
	return all ? 2.0 * (double)common / (double)all : 1;
}

double match_likeness(const struct match_leaf *a, const struct match_leaf *b)
{
	return 0.3 * name_likeness(a, b) + 0.2 * (a->grid == b->grid) +
	       0.2 * same_calls(a->calls, b->calls) + 0.1 * (a->kind == b->kind) +
	       0.2 * is_near(a->call_ns, b->call_ns);
}

/* Leaves of one class in one path, in the order of the step. */
struct list {
	uint32_t *leaves;
	size_t count;
};

struct order_key {
	int class;
	uint32_t path, leaf;
	int64_t place;
};

static int by_place(const void *p, const void *q, void *ctx)
{
	const struct order_key *a = p, *b = q;

	(void)ctx;
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->path != b->path)
		return a->path < b->path ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* The range around a path with so many ranges above it, by number; the path itself: it has fewer. */
static uint32_t range_around(struct matching *x, uint32_t path, size_t depth)
{
	const struct str text = x->texts.items[path];
	const char *end = text.s;

	if (!depth)
		return strtab_add(&x->texts, str_of(""));
	for (size_t i = 0; (end = strstr(end, " / ")); end += 3) {
		if (++i == depth)
			return strtab_add(&x->texts,
					  (struct str){text.s, (size_t)(end - text.s)});
	}
	return path;
}

/* All work of a side, by class, range and place; of ranges the outer ones down to that depth. */
static struct order_key *order_leaves(struct matching *x, enum side side, size_t depth,
				      size_t *ret_count)
{
	const size_t count = x->sides->of[side].leaf_count;
	struct order_key *all = mem_alloc(count, sizeof(*all));
	size_t n = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct match_leaf *l = &x->leaves[side][i];

		if (!l->is_idle)
			all[n++] = (struct order_key){l->class, range_around(x, l->path, depth), i,
						      l->place};
	}
	sort_stable(all, n, sizeof(*all), by_place, NULL);
	*ret_count = n;
	return all;
}

/* The leaves of a range that both sides have. */
typedef void path_fn(struct matching *x, const struct list path[SIDES]);

enum { INNERMOST = 64 }; /* as a depth: each path by itself */

static int compare_paths(const struct order_key *a, const struct order_key *b)
{
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static struct list take_path(const struct order_key *all, size_t count, size_t *at)
{
	const size_t begin = *at;
	struct list list;

	while (*at < count && compare_paths(&all[begin], &all[*at]) == 0)
		(*at)++;
	list = (struct list){mem_alloc(*at - begin, sizeof(uint32_t)), *at - begin};
	for (size_t i = 0; i < list.count; i++)
		list.leaves[i] = all[begin + i].leaf;
	return list;
}

static void each_path(struct matching *x, size_t depth, path_fn *fn)
{
	size_t count[SIDES], at[SIDES] = {0};
	struct order_key *all[SIDES] = {order_leaves(x, BEFORE, depth, &count[BEFORE]),
					order_leaves(x, AFTER, depth, &count[AFTER])};

	while (at[BEFORE] < count[BEFORE] && at[AFTER] < count[AFTER]) {
		const int order = compare_paths(&all[BEFORE][at[BEFORE]], &all[AFTER][at[AFTER]]);

		if (order) {
			at[order < 0 ? BEFORE : AFTER]++;
			continue;
		}
		struct list path[SIDES] = {take_path(all[BEFORE], count[BEFORE], &at[BEFORE]),
					   take_path(all[AFTER], count[AFTER], &at[AFTER])};

		fn(x, path);
		free(path[BEFORE].leaves);
		free(path[AFTER].leaves);
	}
	free(all[BEFORE]);
	free(all[AFTER]);
}

/* Those that are not matched yet. */
static struct list open_leaves(const struct matching *x, enum side side, const struct list *path)
{
	struct list open = {mem_alloc(path->count, sizeof(uint32_t)), 0};

	for (size_t i = 0; i < path->count; i++) {
		if (!x->leaves[side][path->leaves[i]].matched)
			open.leaves[open.count++] = path->leaves[i];
	}
	return open;
}

/* The alignment of two lists with the most in its favour; score[i][k]: of what comes from there on.
 */
static void align(struct matching *x, const struct list *b, const struct list *a)
{
	const size_t width = a->count + 1;
	double *score = mem_zalloc((b->count + 1) * width, sizeof(*score));
	double *like = mem_alloc(b->count * a->count, sizeof(*like));

	for (size_t i = b->count; i-- > 0;) {
		for (size_t k = a->count; k-- > 0;) {
			const double l = match_likeness(&x->leaves[BEFORE][b->leaves[i]],
							&x->leaves[AFTER][a->leaves[k]]);
			double best = fmax(score[(i + 1) * width + k], score[i * width + k + 1]);

			like[i * a->count + k] = l;
			if (l >= enough)
				best = fmax(best, l + score[(i + 1) * width + k + 1]);
			score[i * width + k] = best;
		}
	}
	for (size_t i = 0, k = 0; i < b->count && k < a->count;) {
		const double l = like[i * a->count + k], here = score[i * width + k];

		if (l >= enough && here == l + score[(i + 1) * width + k + 1]) {
			matching_add(x, MATCH_ORDER, l, &b->leaves[i++], 1, &a->leaves[k++], 1);
		} else if (here == score[(i + 1) * width + k]) {
			i++;
		} else {
			k++;
		}
	}
	free(like);
	free(score);
}

static void align_path(struct matching *x, const struct list path[SIDES])
{
	struct list b = open_leaves(x, BEFORE, &path[BEFORE]);
	struct list a = open_leaves(x, AFTER, &path[AFTER]);

	if (b.count && a.count && b.count <= CELLS_MAX / a.count &&
	    matching_may_compare(x, b.count * a.count))
		align(x, &b, &a);
	free(b.leaves);
	free(a.leaves);
}

void match_by_order(struct matching *x)
{
	each_path(x, INNERMOST, align_path);
}

/* How many anchors of a path come before each leaf that is not matched; of those that are launched
 * so often, or, with NAN, of all. */
static size_t *slots_of(const struct matching *x, enum side side, const struct list *path,
			const struct list *open, double calls)
{
	size_t *slots = mem_alloc(open->count + 1, sizeof(*slots)), anchors = 0, n = 0;

	for (size_t i = 0; i < path->count && n < open->count; i++) {
		const struct match_leaf *l = &x->leaves[side][path->leaves[i]];

		if (path->leaves[i] == open->leaves[n])
			slots[n++] = anchors;
		else
			anchors += l->anchors && (isnan(calls) || same_calls(l->calls, calls));
	}
	return slots;
}

/* What is not matched of a path, and which anchors each lies between. */
struct blocks {
	const struct list *path; /* of both sides */
	struct list open[SIDES];
	size_t *slots[SIDES];
	bool *taken; /* by slot: it is part of the block */
};

/*
 * The place of a leaf is the mean of its calls'. What each layer launches once lies in that order;
 * what is launched more or less often lies anywhere among it. So leaves that are launched as often
 * as this one lie beside it if none that is, too, lies between.
 */
static void take_slots(const struct matching *x, struct blocks *b, size_t after)
{
	const double calls = x->leaves[AFTER][b->open[AFTER].leaves[after]].calls;
	size_t *alike[SIDES];

	memset(b->taken, 0, (b->path[AFTER].count + b->path[BEFORE].count + 1) * sizeof(*b->taken));
	for (int side = 0; side < SIDES; side++)
		alike[side] = slots_of(x, (enum side)side, &b->path[side], &b->open[side], calls);
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < b->open[side].count; i++) {
			if (alike[side][i] == alike[AFTER][after] &&
			    same_calls(x->leaves[side][b->open[side].leaves[i]].calls, calls))
				b->taken[b->slots[side][i]] = true;
		}
	}
	free(alike[BEFORE]);
	free(alike[AFTER]);
}

/* All that lies in the slots that were taken. */
static struct list take_block(const struct matching *x, const struct blocks *b, enum side side)
{
	const struct list *open = &b->open[side];
	struct list block = {mem_alloc(open->count + 1, sizeof(uint32_t)), 0};

	for (size_t i = 0; i < open->count; i++) {
		if (b->taken[b->slots[side][i]] && !x->leaves[side][open->leaves[i]].matched)
			block.leaves[block.count++] = open->leaves[i];
	}
	return block;
}

static bool share_path(const struct matching *x, const struct list block[SIDES])
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

static bool are_near(const struct match_leaf *a, const struct match_leaf *b)
{
	return fabs(a->at - b->at) <= near_in_step;
}

/* Of leaves of several ranges those that are as far in the step as the one that was asked about. */
static void leave_far(const struct matching *x, struct list block[SIDES], uint32_t after)
{
	for (int side = 0; side < SIDES; side++) {
		size_t kept = 0;

		for (size_t i = 0; i < block[side].count; i++) {
			const uint32_t leaf = block[side].leaves[i];

			if (are_near(&x->leaves[side][leaf], &x->leaves[AFTER][after]))
				block[side].leaves[kept++] = leaf;
		}
		block[side].count = kept;
	}
}

static void add_block(struct matching *x, struct blocks *b, size_t after)
{
	struct list block[SIDES];

	take_slots(x, b, after);
	for (int side = 0; side < SIDES; side++)
		block[side] = take_block(x, b, (enum side)side);
	if (!share_path(x, block))
		leave_far(x, block, b->open[AFTER].leaves[after]);
	if (block[BEFORE].count)
		matching_add(x, MATCH_BLOCK, share_path(x, block) ? in_range : across_ranges,
			     block[BEFORE].leaves, block[BEFORE].count,
			     block[AFTER].leaves, block[AFTER].count);
	free(block[BEFORE].leaves);
	free(block[AFTER].leaves);
}

static void block_path(struct matching *x, const struct list path[SIDES])
{
	const size_t all = path[BEFORE].count + path[AFTER].count;
	struct blocks b = {.path = path, .taken = mem_alloc(all + 1, sizeof(*b.taken))};

	for (int side = 0; side < SIDES; side++) {
		b.open[side] = open_leaves(x, (enum side)side, &path[side]);
		b.slots[side] = slots_of(x, (enum side)side, &path[side], &b.open[side], NAN);
	}
	for (size_t i = 0; i < b.open[AFTER].count && b.open[BEFORE].count; i++) {
		if (!x->leaves[AFTER][b.open[AFTER].leaves[i]].matched &&
		    matching_may_compare(x, all))
			add_block(x, &b, i);
	}
	for (int side = 0; side < SIDES; side++) {
		free(b.open[side].leaves);
		free(b.slots[side]);
	}
	free(b.taken);
}

/* The nearest leaf of a block before or after the i-th of a range, launched as often, with no anchor
 * between that is; NULL: there is none. */
static const struct match_leaf *find_neighbour(const struct matching *x, enum side side,
					       const struct list *path, size_t i, int step)
{
	const struct match_leaf *of = &x->leaves[side][path->leaves[i]];

	for (size_t k = i + (size_t)step; k < path->count; k += (size_t)step) {
		const struct match_leaf *l = &x->leaves[side][path->leaves[k]];

		if (!same_calls(l->calls, of->calls))
			continue;
		if (l->anchors || !are_near(l, of))
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

/* What is left beside a block, of another range, is part of it: nothing else took its place. */
static void extend_blocks(struct matching *x, const struct list path[SIDES])
{
	for (int side = 0; side < SIDES; side++) {
		for (size_t i = 0; i < path[side].count; i++) {
			const struct match_leaf *before, *after, *l;

			if (x->leaves[side][path[side].leaves[i]].matched ||
			    !matching_may_compare(x, path[side].count))
				continue;
			before = find_neighbour(x, (enum side)side, &path[side], i, -1);
			after = find_neighbour(x, (enum side)side, &path[side], i, 1);
			l = before ? before : after;
			/* Between two blocks it may belong to either. */
			if (l && (!before || !after || before->block == after->block))
				join_block(x, (enum side)side, path[side].leaves[i], l->block);
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
			while ((at = strstr(at, " / ")) && depth < INNERMOST) {
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
 * what is left between those that match is looked for in the range around them, and so on up to the
 * step.
 */
void match_blocks(struct matching *x)
{
	each_path(x, INNERMOST, block_path);
	for (size_t around = open_depth(x); around-- > 0;) {
		each_path(x, around, block_path);
		each_path(x, around, extend_blocks);
	}
}
