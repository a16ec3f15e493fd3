/* Where is the largest of many numbers, and where the next large one? */
#include "timeline/max_tree.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

enum { FAN_BITS = 4, FAN = 1 << FAN_BITS };

static int64_t largest_below(const int64_t *values, size_t count, size_t at)
{
	const size_t begin = at * FAN, end = begin + FAN < count ? begin + FAN : count;
	int64_t most = values[begin];

	for (size_t i = begin + 1; i < end; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

void max_tree_make(struct max_tree *t, int64_t *values, size_t count)
{
	*t = (struct max_tree){.levels = {values}, .counts = {count}, .height = 1};
	while (count > 1 && t->height < MAX_TREE_LEVELS) {
		const int64_t *below = t->levels[t->height - 1];
		const size_t above = (count - 1) / FAN + 1;
		int64_t *level = mem_alloc(above, sizeof(*level));

		for (size_t i = 0; i < above; i++)
			level[i] = largest_below(below, count, i);
		t->levels[t->height] = level;
		t->counts[t->height++] = count = above;
	}
}

void max_tree_free(struct max_tree *t)
{
	for (size_t i = 0; i < t->height; i++)
		free(t->levels[i]);
	*t = (struct max_tree){0};
}

/* A number of some level. */
struct node {
	size_t level, at;
};

static int64_t value_of(const struct max_tree *t, struct node n)
{
	return t->levels[n.level][n.at];
}

static size_t first_leaf(struct node n)
{
	return n.at << (FAN_BITS * n.level);
}

static void choose(const struct max_tree *t, struct node n, struct node *best)
{
	const int64_t ns = value_of(t, n), known = value_of(t, *best);

	if (ns > known || (ns == known && first_leaf(n) < first_leaf(*best)))
		*best = n;
}

/* Down to the first leaf with at least that much, or to the last. */
static size_t descend(const struct max_tree *t, struct node n, int64_t least, bool last)
{
	while (n.level) {
		const int64_t *below = t->levels[--n.level];
		const size_t begin = n.at * FAN, count = t->counts[n.level];
		const size_t end = begin + FAN < count ? begin + FAN : count;

		n.at = last ? end - 1 : begin;
		while (below[n.at] < least)
			n.at += last ? -1 : 1;
	}
	return n.at;
}

size_t max_tree_largest(const struct max_tree *t, size_t begin, size_t end)
{
	struct node best = {0, begin};

	for (size_t level = 0; begin < end; level++) {
		for (; begin < end && begin % FAN; begin++)
			choose(t, (struct node){level, begin}, &best);
		for (; begin < end && end % FAN; end--)
			choose(t, (struct node){level, end - 1}, &best);
		begin /= FAN;
		end /= FAN;
	}
	return descend(t, best, value_of(t, best), false);
}

size_t max_tree_next(const struct max_tree *t, size_t begin, size_t end, int64_t least)
{
	struct node n = {0, begin};

	while (first_leaf(n) < end) {
		if (value_of(t, n) >= least) {
			const size_t found = descend(t, n, least, false);

			return found < end ? found : end;
		}
		n.at++;
		while (n.at % FAN == 0 && n.level + 1 < t->height) {
			n.at /= FAN;
			n.level++;
		}
		if (n.at >= t->counts[n.level])
			break;
	}
	return end;
}

size_t max_tree_previous(const struct max_tree *t, size_t begin, size_t end, int64_t least)
{
	struct node n = {0, end - 1};

	while (begin < end) {
		if (value_of(t, n) >= least) {
			const size_t found = descend(t, n, least, true);

			return found >= begin ? found : end;
		}
		if (first_leaf(n) <= begin)
			break;
		while (n.at % FAN == 0 && n.level + 1 < t->height) {
			n.at /= FAN;
			n.level++;
		}
		n.at--;
	}
	return end;
}
