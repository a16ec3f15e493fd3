/*
 * Which rows of the tree are shown: what is expanded, in which order siblings come, what a filter
 * or a least duration leaves. It knows no screen.
 */
#ifndef TUI_TREE_MODEL_H
#define TUI_TREE_MODEL_H

#include "analysis/ranges/call_tree_text.h"
#include "tui/app.h"

enum tree_sort { TREE_SORT_GPU, TREE_SORT_WALL, TREE_SORT_START, TREE_SORT_COUNT, TREE_SORTS };

struct tree_row {
	uint32_t node;
	int64_t gap_ns; /* before it; 0: it is the node itself */
};

struct tree_model {
	struct call_tree tree;
	struct call_tree_text text;
	uint32_t *child, *sibling; /* the first shown one, the next; child[count]: of the roots */
	uint8_t *expanded;
	enum tree_sort sort;
	bool backwards;
	int64_t least_ns;
	bool gaps;
	int64_t least_gap_ns;
	struct buf filter;
	struct tree_row *rows;
	size_t row_count, row_cap;
};

/* For tree_model_free() whether this fails or not; `instances`: each range by itself. */
int tree_model_make(struct tree_model *m, struct app *a, bool instances, struct err *e);
void tree_model_free(struct tree_model *m);
/* After sort, backwards or least_ns has changed; pattern NULL: the filter as it is. */
int tree_model_arrange(struct tree_model *m, const char *pattern, struct err *e);
/* After `expanded` or gaps have changed. */
void tree_model_flatten(struct tree_model *m);
void tree_model_expand_levels(struct tree_model *m, uint32_t levels);
void tree_model_expand_below(struct tree_model *m, uint32_t node, bool expanded);
/* Expands what is around a node, and finds its row. */
size_t tree_model_reveal(struct tree_model *m, uint32_t node);
/* The child with the most GPU time, or time on the host; NODE_NONE: there is none. */
uint32_t tree_model_most_expensive(const struct tree_model *m, uint32_t node);
/* Its part of its parent, from 0 to 1: of the GPU time, or of the host's where there is none. */
double tree_model_share(const struct tree_model *m, const struct call_node *n);
/* When the node was: of merged ones, the first. */
struct span tree_model_span(const struct tree_model *m, uint32_t node);

#endif
