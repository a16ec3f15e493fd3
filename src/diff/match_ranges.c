/* Which leaves of both sides are in one range, and in which order? */
#include "base/mem.h"
#include "base/sort.h"
#include "diff/match_order.h"

#include <stdlib.h>
#include <string.h>

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

void match_each_range(struct matching *x, size_t depth, match_range_fn *fn)
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

		fn(x, path);
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
