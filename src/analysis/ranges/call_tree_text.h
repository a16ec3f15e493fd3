/* What the nodes of a tree of ranges are called, for people. */
#ifndef ANALYSIS_CALL_TREE_TEXT_H
#define ANALYSIS_CALL_TREE_TEXT_H

#include "analysis/ranges/call_tree.h"
#include "trace/system/labels.h"

struct call_tree_text {
	const struct call_tree *tree;
	struct host_names host_names;
	struct buf name; /* of the thread that was asked for last */
};

/* The tree may be made later; it lives as long as this. Is freed whether this fails or not. */
int call_tree_text_make(struct call_tree_text *ret, const struct call_tree *tree, struct trace *t,
			struct err *e);
void call_tree_text_free(struct call_tree_text *x);
/* The name of one, unescaped; lives until the next call. */
struct str call_tree_text(struct call_tree_text *x, const struct call_node *n);
/* Threads, ranges and ops, outermost first. */
void call_tree_text_add_path(struct call_tree_text *x, struct buf *b, uint32_t node);

#endif
