/* In which order are leaves of a range, and which with other names have the same place in it? */
#include "diff/matching/match_order.h"

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

/* The alignment of two lists with the most in its favour; score[i][k]: of what comes from there on.
 */
static void align(struct matching *x, const struct match_list *b, const struct match_list *a)
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

static void align_path(struct matching *x, const struct match_list path[SIDES], void *ctx)
{
	struct match_list b = match_open_leaves(x, BEFORE, &path[BEFORE]);
	struct match_list a = match_open_leaves(x, AFTER, &path[AFTER]);

	(void)ctx;
	if (b.count && a.count && b.count <= CELLS_MAX / a.count &&
	    matching_may_compare(x, b.count * a.count))
		align(x, &b, &a);
	free(b.leaves);
	free(a.leaves);
}

void match_by_order(struct matching *x)
{
	match_each_range(x, MATCH_INNERMOST, align_path, NULL);
}
