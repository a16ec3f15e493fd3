/* The tree's state, for the files that draw it. */
#ifndef TUI_TREE_VIEW_H
#define TUI_TREE_VIEW_H

#include "traces/answer.h"
#include "tui/list.h"
#include "tui/views/tree_model.h"

struct tree_view {
	struct tree_model model;
	struct list list;
	bool whole_names, details;
	struct answer findings; /* none until they are read: see more() */
};

/* The chosen node; NODE_NONE: none, or a gap. */
static inline uint32_t tree_view_node(const struct tree_view *t)
{
	if (t->list.chosen >= t->model.row_count || t->model.rows[t->list.chosen].gap_ns)
		return NODE_NONE;
	return t->model.rows[t->list.chosen].node;
}

void tree_draw(struct app *a, struct view *v, struct canvas *c, struct area area);
/* What is known of the chosen row. */
void tree_details_draw(struct app *a, struct tree_view *t, struct canvas *c, struct area area);

#endif
