/* How do the stacks in which a GPU waits look as a picture? */
#include "analysis/code/code_tree.h"

#include "base/mem.h"
#include "report/chart.h"

#include <stdlib.h>

enum { BOXES_MAX = 400 };

/* Of all idle time: what is smaller is no more than a hair's breadth. */
static const double smallest = 0.001;
/* Of a frame's time: one that spends so much in one callee only passes it on. */
static const double nearly_all = 0.99;

/* A node that is drawn. */
struct box {
	uint32_t node;
	uint32_t parent; /* a box before it, or CHART_ROOT */
	uint32_t into;	 /* the box that stands for it: itself, or a caller of it */
	size_t callees;	 /* that are drawn */
	bool passes;	 /* its time is that of the one it calls */
	size_t row;	 /* from 1 */
};

struct picture {
	const struct code_tree *tree;
	struct box *boxes;
	size_t count;
};

static const struct code_node *node_of(const struct picture *p, size_t box)
{
	return &p->tree->nodes[p->boxes[box].node];
}

static size_t count_above(const struct code_tree *t, double least_ns)
{
	size_t count = 0;

	for (size_t i = 0; i < t->count; i++)
		count += (double)t->nodes[t->order[i]].idle_ns >= least_ns;
	return count;
}

/* As many of the largest as there is room for: a caller has at least the time of a callee. */
static void choose_boxes(struct picture *p)
{
	const struct code_tree *t = p->tree;
	uint32_t *box_of = mem_alloc(t->numbers.count, sizeof(*box_of));
	double least_ns = smallest * (double)t->idle_ns;

	while (count_above(t, least_ns) > BOXES_MAX)
		least_ns *= 2;
	p->boxes = mem_alloc(count_above(t, least_ns), sizeof(*p->boxes));
	for (size_t i = 0; i < t->count; i++) {
		const struct code_node *n = &t->nodes[t->order[i]];
		struct box b = {
			.node = t->order[i], .parent = CHART_ROOT, .into = (uint32_t)p->count};

		if ((double)n->idle_ns < least_ns)
			continue;
		if (n->parent != NODE_NONE) {
			b.parent = box_of[n->parent];
			p->boxes[b.parent].callees++;
			p->boxes[b.parent].passes =
				(double)n->idle_ns >=
				nearly_all * (double)node_of(p, b.parent)->idle_ns;
		}
		box_of[b.node] = (uint32_t)p->count;
		p->boxes[p->count++] = b;
	}
	free(box_of);
}

/* How many rows it takes. */
static size_t place_rows(const struct picture *p)
{
	size_t deepest = 0;

	for (size_t i = 0; i < p->count; i++) {
		struct box *b = &p->boxes[i];
		const struct box *caller = b->parent == CHART_ROOT ? NULL : &p->boxes[b->parent];

		b->row = !caller ? 1 : caller->row + (b->into == i);
		deepest = b->row > deepest ? b->row : deepest;
	}
	return deepest;
}

static bool is_yours(const struct picture *p, size_t box)
{
	const struct code_node *n = node_of(p, box);

	return n->kind == CODE_NODE_FRAME &&
	       code_owner(p->tree->trace, p->tree->stacks, p->tree->stacks->frame[n->stack]) ==
		       CODE_YOURS;
}

/* Whether a frame may share its box: it leads to one other, and is not to be looked at. */
static bool may_share(const struct picture *p, size_t box, bool yours_too)
{
	const struct box *b = &p->boxes[box];

	return node_of(p, box)->kind == CODE_NODE_FRAME && b->callees == 1 && b->passes &&
	       (yours_too || !is_yours(p, box));
}

/*
 * Frames that only pass their time on stand in one box with the one that called them, which comes
 * right before them.
 */
static void share_boxes(struct picture *p, bool yours_too)
{
	for (size_t i = 0; i < p->count; i++) {
		struct box *b = &p->boxes[i];

		if (b->parent != CHART_ROOT && may_share(p, i, yours_too) &&
		    may_share(p, b->parent, yours_too))
			b->into = p->boxes[b->parent].into;
	}
}

/* "main (train.py:8) › step (train.py:3)": the boxes from `begin` on that one stands for. */
static struct str name_of(struct report *r, const struct picture *p, size_t begin)
{
	struct buf b = {0};

	for (size_t i = begin; i < p->count && p->boxes[i].into == begin; i++) {
		buf_adds(&b, i > begin ? " › " : "");
		buf_addstr(&b, p->tree->names[p->boxes[i].node]);
	}
	return str_of(report_take_text(r, &b));
}

/* The width is all idle time, and shares are those of the table. */
static void add_others(struct chart *c, int64_t ns)
{
	if (!ns)
		return;
	c->labels[c->count] = STR_LIT("(other threads)");
	c->parents[c->count] = CHART_ROOT;
	*chart_item(c, c->count++) = (double)ns;
}

static void fill_chart(struct report *r, struct chart *c, const struct picture *p)
{
	uint32_t *item_of = mem_alloc(p->count, sizeof(*item_of));
	bool *bold = arena_zalloc(&r->arena, c->count, sizeof(*bold));
	int64_t others_ns = p->tree->idle_ns;

	c->bold_name = "your code";
	c->count = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct box *b = &p->boxes[i];

		item_of[i] = b->into == i ? (uint32_t)c->count : item_of[b->into];
		if (b->into != i)
			continue;
		c->labels[c->count] = name_of(r, p, i);
		bold[c->count] = is_yours(p, i);
		c->bold = bold[c->count] ? bold : c->bold;
		c->parents[c->count] = b->parent == CHART_ROOT ? CHART_ROOT : item_of[b->parent];
		*chart_item(c, c->count++) = (double)node_of(p, i)->idle_ns;
		others_ns -= b->parent == CHART_ROOT ? node_of(p, i)->idle_ns : 0;
	}
	add_others(c, others_ns);
	free(item_of);
}

static bool has_frames(const struct picture *p)
{
	for (size_t i = 0; i < p->count; i++) {
		if (node_of(p, i)->kind == CODE_NODE_FRAME)
			return true;
	}
	return false;
}

void code_tree_chart(struct report *r, const struct code_tree *t)
{
	struct picture p = {.tree = t};

	choose_boxes(&p);
	if (place_rows(&p) > CHART_TREE_ROWS)
		share_boxes(&p, false);
	if (place_rows(&p) > CHART_TREE_ROWS)
		share_boxes(&p, true);
	if (has_frames(&p))
		fill_chart(r,
			   report_new_chart(r, CHART_ICICLE, "GPU idle time by stack", UNIT_NS,
					    p.count + 1, NULL, 1),
			   &p);
	free(p.boxes);
}
