/* In which order are leaves of a range, and which with other names have the same place in it? */
#include "diff/matching/match_order.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_MAX = 1 << 20 }; /* of an alignment, that are kept: beyond it names alone must do */

static const double enough = 0.6; /* likeness without which order says nothing */
static const double near = 1.3;	  /* times as long, or as often */

static bool is_near(double a, double b)
{
	return a > 0 && b > 0 && a < near * b && b < near * a;
}

bool match_same_calls(double a, double b)
{
	return fabs(a - b) < 0.02 * (a + b) / 2 + 1e-12;
}

double match_step_change(const struct matching *x)
{
	const struct side_runs *of = x->sides->of;
	const double before = (double)of[BEFORE].ns / (double)of[BEFORE].weight,
		     after = (double)of[AFTER].ns / (double)of[AFTER].weight;

	return fabs(before - after) / fmax(before, after);
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
	       0.2 * match_same_calls(a->calls, b->calls) + 0.1 * (a->kind == b->kind) +
	       0.2 * is_near(a->call_ns, b->call_ns);
}

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

/* The range around a path with so many ranges above it, by number; the path itself: it has fewer.
 */
static uint32_t range_around(struct matching *x, uint32_t path, size_t depth)
{
	const struct str text = x->texts.items[path];
	const char *end = text.s;

	if (!depth)
		return strtab_add(&x->texts, str_of(""));
	for (size_t i = 0; (end = strstr(end, " / ")); end += 3) {
		if (++i == depth)
			return strtab_add(&x->texts, (struct str){text.s, (size_t)(end - text.s)});
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

static int compare_paths(const struct order_key *a, const struct order_key *b)
{
	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	return (a->path > b->path) - (a->path < b->path);
}

static struct match_list take_path(const struct order_key *all, size_t count, size_t *at)
{
	const size_t begin = *at;
	struct match_list list;

	while (*at < count && compare_paths(&all[begin], &all[*at]) == 0)
		(*at)++;
	list = (struct match_list){mem_alloc(*at - begin, sizeof(uint32_t)), *at - begin};
	for (size_t i = 0; i < list.count; i++)
		list.leaves[i] = all[begin + i].leaf;
	return list;
}

void match_each_range(struct matching *x, size_t depth, match_range_fn *fn, void *ctx)
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
		struct match_list path[SIDES] = {take_path(all[BEFORE], count[BEFORE], &at[BEFORE]),
						 take_path(all[AFTER], count[AFTER], &at[AFTER])};

		fn(x, path, ctx);
		free(path[BEFORE].leaves);
		free(path[AFTER].leaves);
	}
	free(all[BEFORE]);
	free(all[AFTER]);
}

/* A pair of leaves, by where each is in its range. */
struct anchor {
	uint32_t match;
	size_t at[SIDES];
	bool is_firm;
};

static int by_match(const void *p, const void *q, void *ctx)
{
	const struct anchor *a = p, *b = q;

	(void)ctx;
	return (a->match > b->match) - (a->match < b->match);
}

static int by_before(const void *p, const void *q, void *ctx)
{
	const struct anchor *a = p, *b = q;

	(void)ctx;
	return (a->at[BEFORE] > b->at[BEFORE]) - (a->at[BEFORE] < b->at[BEFORE]);
}

static struct anchor *list_side(const struct matching *x, enum side side,
				const struct match_list *range, size_t *ret_count)
{
	struct anchor *all = mem_zalloc(range->count, sizeof(*all));
	size_t count = 0;

	for (size_t i = 0; i < range->count; i++) {
		const struct match_leaf *l = &x->leaves[side][range->leaves[i]];

		if (!l->anchors)
			continue;
		all[count].match = l->match;
		all[count++].at[side] = i;
	}
	sort_stable(all, count, sizeof(*all), by_match, NULL);
	*ret_count = count;
	return all;
}

/* The anchors of a range, in the order of the side before. */
static struct anchor *list_anchors(const struct matching *x, const struct match_list range[SIDES],
				   size_t *ret_count)
{
	size_t before, after, count = 0;
	struct anchor *all = list_side(x, BEFORE, &range[BEFORE], &before);
	struct anchor *other = list_side(x, AFTER, &range[AFTER], &after);

	for (size_t i = 0, k = 0; i < before && k < after;) {
		if (all[i].match == other[k].match) {
			all[count] = all[i++];
			all[count++].at[AFTER] = other[k++].at[AFTER];
		} else if (all[i].match < other[k].match) {
			i++;
		} else {
			k++;
		}
	}
	free(other);
	sort_stable(all, count, sizeof(*all), by_before, NULL);
	*ret_count = count;
	return all;
}

/* How long the longest of those that end here is, of anchors that are in the same order on both
 * sides; the other way round: of those that begin here. */
static void find_lengths(const struct anchor *all, size_t count, bool backwards, size_t *ret)
{
	size_t *ends = mem_alloc(count + 1, sizeof(*ends)),
	       longest = 0; /* by length: the nearest */

	for (size_t i = 0; i < count; i++) {
		const size_t at = backwards ? count - 1 - i : i;
		const size_t place = backwards ? SIZE_MAX - all[at].at[AFTER] : all[at].at[AFTER];
		const size_t length = BISECT(0, longest, n, ends[n] < place);

		ends[length] = place;
		longest = length == longest ? longest + 1 : longest;
		ret[at] = length + 1;
	}
	free(ends);
}

/* Those that are in each longest order that both sides have: one that moved moves no other. */
static void find_firm(struct anchor *all, size_t count)
{
	size_t *before = mem_zalloc(3 * count + 2, sizeof(*before)), *behind = before + count;
	size_t *alike = behind + count, longest = 0; /* by how many come before */

	find_lengths(all, count, false, before);
	find_lengths(all, count, true, behind);
	for (size_t i = 0; i < count; i++)
		longest = before[i] > longest ? before[i] : longest;
	for (size_t i = 0; i < count; i++)
		alike[before[i]] += before[i] + behind[i] - 1 == longest;
	for (size_t i = 0; i < count; i++)
		all[i].is_firm = before[i] + behind[i] - 1 == longest && alike[before[i]] == 1;
	free(before);
}

void match_count_firm(const struct matching *x, const struct match_list range[SIDES],
		      size_t *ret[SIDES])
{
	size_t count;
	struct anchor *all = list_anchors(x, range, &count);

	find_firm(all, count);
	for (int side = 0; side < SIDES; side++) {
		size_t firm = 0;

		ret[side] = mem_zalloc(range[side].count, sizeof(size_t));
		for (size_t i = 0; i < count; i++)
			ret[side][all[i].at[side]] = all[i].is_firm;
		for (size_t i = 0; i < range[side].count; i++) {
			const size_t here = ret[side][i];

			ret[side][i] = firm;
			firm += here;
		}
	}
	free(all);
}

void match_keep_open(const struct matching *x, enum side side, const struct match_list *range,
		     size_t *of)
{
	size_t open = 0;

	for (size_t i = 0; i < range->count; i++) {
		if (!x->leaves[side][range->leaves[i]].matched)
			of[open++] = of[i];
	}
}

struct match_list match_open_leaves(const struct matching *x, enum side side,
				    const struct match_list *path)
{
	struct match_list open = {mem_alloc(path->count, sizeof(uint32_t)), 0};

	for (size_t i = 0; i < path->count; i++) {
		if (!x->leaves[side][path->leaves[i]].matched)
			open.leaves[open.count++] = path->leaves[i];
	}
	return open;
}

/* How much speaks for two being the same that have so many firm anchors before them. */
static double likeness_at(const struct matching *x, const struct match_list list[SIDES],
			  size_t *const firm[SIDES], size_t before, size_t after)
{
	return firm[BEFORE][before] != firm[AFTER][after]
		       ? 0
		       : match_likeness(&x->leaves[BEFORE][list[BEFORE].leaves[before]],
					&x->leaves[AFTER][list[AFTER].leaves[after]]);
}

/* The alignment of two lists with the most in its favour; score[i][k]: of what comes from there on.
 */
static void align(struct matching *x, const struct match_list list[SIDES],
		  size_t *const firm[SIDES])
{
	const struct match_list *const b = &list[BEFORE], *const a = &list[AFTER];
	const size_t width = a->count + 1;
	double *score = mem_zalloc((b->count + 1) * width, sizeof(*score));
	double *like = mem_alloc(b->count * a->count, sizeof(*like));

	for (size_t i = b->count; i-- > 0;) {
		for (size_t k = a->count; k-- > 0;) {
			const double l = likeness_at(x, list, firm, i, k);
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

static void align_path(struct matching *x, const struct match_list path[SIDES], void *ctx)
{
	const struct match_list open[SIDES] = {match_open_leaves(x, BEFORE, &path[BEFORE]),
					       match_open_leaves(x, AFTER, &path[AFTER])};
	const size_t before = open[BEFORE].count, after = open[AFTER].count;
	size_t *firm[SIDES];

	(void)ctx;
	if (before && after && before <= CELLS_MAX / after &&
	    matching_may_compare(x, before * after)) {
		match_count_firm(x, path, firm);
		for (int side = 0; side < SIDES; side++)
			match_keep_open(x, (enum side)side, &path[side], firm[side]);
		align(x, open, firm);
		free(firm[BEFORE]);
		free(firm[AFTER]);
	}
	free(open[BEFORE].leaves);
	free(open[AFTER].leaves);
}

void match_by_order(struct matching *x)
{
	match_each_range(x, MATCH_INNERMOST, align_path, NULL);
}
