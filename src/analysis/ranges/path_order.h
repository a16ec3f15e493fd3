/* In which order, and how many of them, the paths of a tree are shown. */
#ifndef ANALYSIS_PATH_ORDER_H
#define ANALYSIS_PATH_ORDER_H

#include "analysis/ranges/range_tree.h"

/*
 * Depth-first, siblings by GPU time. Of more than `limit` paths (0: any number) those with the most
 * GPU time stay; a path that stays never loses those above it. The caller frees the array.
 */
uint32_t *path_order(const struct range_tree *tree, uint64_t limit, size_t *ret_count);

/* Whether the window holds anything of the path. */
static inline bool path_is_live(const struct path *p)
{
	return p->instances || p->all.ops;
}

#endif
