/*
 * The largest of some numbers that lie side by side, and the next that is large enough, in a time
 * that grows with the logarithm of how many there are.
 */
#ifndef TIMELINE_MAX_TREE_H
#define TIMELINE_MAX_TREE_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_TREE_LEVELS = 9 }; /* 16 to the power of that is more than any table has rows */

struct max_tree {
	int64_t *levels[MAX_TREE_LEVELS]; /* the numbers, then the largest of 16 below each */
	size_t counts[MAX_TREE_LEVELS];
	size_t height; /* how many levels there are */
};

/* `values` is the tree's from here on. */
void max_tree_make(struct max_tree *t, int64_t *values, size_t count);
void max_tree_free(struct max_tree *t);
/* The place of the largest of [begin, end), which is not empty; of equal ones the first. */
size_t max_tree_largest(const struct max_tree *t, size_t begin, size_t end);
/* The first place of [begin, end) with at least that much; `end`: none. */
size_t max_tree_next(const struct max_tree *t, size_t begin, size_t end, int64_t least);
/* The last one; `end`: none. */
size_t max_tree_previous(const struct max_tree *t, size_t begin, size_t end, int64_t least);

#endif
