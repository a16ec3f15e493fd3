/* On which lane does a slice disturb no other? */
#include "export/lanes.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

/* Unused lanes are free at any time. */
static void grow(struct flat_lanes *l)
{
	size_t leaves = l->leaves ? 2 * l->leaves : 1;
	int64_t *tree = mem_alloc(2 * leaves, sizeof(*tree));

	for (size_t i = 0; i < leaves; i++)
		tree[leaves + i] = i < l->leaves ? l->earliest[l->leaves + i] : INT64_MIN;
	for (size_t i = leaves - 1; i > 0; i--)
		tree[i] = tree[2 * i] < tree[2 * i + 1] ? tree[2 * i] : tree[2 * i + 1];
	free(l->earliest);
	l->earliest = tree;
	l->leaves = leaves;
}

size_t flat_lanes_take(struct flat_lanes *l, int64_t start_ns, int64_t end_ns)
{
	size_t at = 1, lane;

	if (!l->leaves || l->earliest[1] > start_ns)
		grow(l);
	while (at < l->leaves)
		at = 2 * at + (l->earliest[2 * at] > start_ns);
	lane = at - l->leaves;
	l->earliest[at] = end_ns;
	for (at /= 2; at; at /= 2) {
		int64_t a = l->earliest[2 * at], b = l->earliest[2 * at + 1];

		l->earliest[at] = a < b ? a : b;
	}
	if (lane >= l->count)
		l->count = lane + 1;
	return lane;
}

void flat_lanes_free(struct flat_lanes *l)
{
	free(l->earliest);
	*l = (struct flat_lanes){0};
}

static bool enter(struct nested_lane *l, int64_t start_ns, int64_t end_ns)
{
	while (l->depth && l->open[l->depth - 1] <= start_ns)
		l->depth--;
	if (l->depth && l->open[l->depth - 1] < end_ns)
		return false;
	MEM_GROW(l->open, l->cap, l->depth + 1);
	l->open[l->depth++] = end_ns;
	return true;
}

size_t nested_lanes_take(struct nested_lanes *l, int64_t start_ns, int64_t end_ns)
{
	for (size_t i = 0; i < l->count; i++) {
		if (enter(&l->lanes[i], start_ns, end_ns))
			return i;
	}
	if (l->count == NESTED_LANES)
		return NESTED_LANES + flat_lanes_take(&l->more, start_ns, end_ns);
	l->lanes = mem_resize(l->lanes, l->count + 1, sizeof(*l->lanes));
	l->lanes[l->count] = (struct nested_lane){0};
	enter(&l->lanes[l->count], start_ns, end_ns);
	return l->count++;
}

void nested_lanes_free(struct nested_lanes *l)
{
	for (size_t i = 0; i < l->count; i++)
		free(l->lanes[i].open);
	free(l->lanes);
	flat_lanes_free(&l->more);
	*l = (struct nested_lanes){0};
}
