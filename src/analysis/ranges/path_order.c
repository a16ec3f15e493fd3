/* In which order are the paths of a tree read? */
#include "analysis/ranges/path_order.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* By GPU time, then the shallow ones: what lies above a path comes before it. */
static int compare_paths(const void *a, const void *b, void *ctx)
{
	const struct range_tree *tree = ctx;
	const struct path *x = &tree->paths[*(const uint32_t *)a];
	const struct path *y = &tree->paths[*(const uint32_t *)b];

	if (x->all.ns != y->all.ns)
		return x->all.ns > y->all.ns ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->wall_ns != y->wall_ns)
		return x->wall_ns > y->wall_ns ? -1 : 1;
	return str_cmp(tree->names.items[x->name], tree->names.items[y->name]);
}

static size_t by_gpu_time(const struct range_tree *tree, uint32_t *ranked)
{
	size_t count = 0;

	for (size_t i = 0; i < tree->count; i++) {
		if (path_is_live(&tree->paths[i]))
			ranked[count++] = (uint32_t)i;
	}
	sort_stable(ranked, count, sizeof(*ranked), compare_paths, (void *)tree);
	return count;
}

uint32_t *path_order(const struct range_tree *tree, uint64_t limit, size_t *ret_count)
{
	uint32_t *ranked = mem_alloc(tree->count, sizeof(*ranked));
	uint32_t *child = mem_alloc(tree->count + 1, sizeof(*child)); /* the last: of the root */
	uint32_t *sibling = mem_alloc(tree->count, sizeof(*sibling));
	size_t count = by_gpu_time(tree, ranked), kept;
	uint32_t *order = ranked;

	kept = limit && limit < count ? (size_t)limit : count;
	memset(child, 0xff, (tree->count + 1) * sizeof(*child));
	for (size_t i = kept; i > 0; i--) {
		uint32_t parent = tree->paths[ranked[i - 1]].parent;
		uint32_t *first = &child[parent == RANGE_NONE ? tree->count : parent];

		sibling[ranked[i - 1]] = *first;
		*first = ranked[i - 1];
	}
	*ret_count = 0;
	for (uint32_t at = child[tree->count]; at != RANGE_NONE;) {
		order[(*ret_count)++] = at;
		if (child[at] != RANGE_NONE) {
			at = child[at];
			continue;
		}
		while (at != RANGE_NONE && sibling[at] == RANGE_NONE)
			at = tree->paths[at].parent;
		at = at == RANGE_NONE ? RANGE_NONE : sibling[at];
	}
	free(sibling);
	free(child);
	return order;
}
