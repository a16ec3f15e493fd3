/* Which nodes of a tree are shown, in which order? */
#include "analysis/ranges/call_tree.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

struct choice {
	const struct call_tree *tree;
	const struct tree_args *args;
	int64_t *wall_ns;	   /* by node: the longest of it and of what is shown inside it */
	uint32_t *child, *sibling; /* the first one, the next one; child[count]: of the root */
	uint32_t *cut;		   /* children that the limit left out, by parent as in `child` */
	uint32_t *order;
	bool *more; /* see struct call_tree_shown */
	size_t count, all, hidden, deep;
};

/* Ops are leaves of the last range that is shown; `depth` counts ranges. */
static bool is_asked_for(const struct choice *c, const struct call_node *n)
{
	const uint32_t deepest = c->args->depth && c->args->depth < CALL_TREE_DEEPEST
					 ? (uint32_t)c->args->depth
					 : CALL_TREE_DEEPEST;

	if (n->kind == CALL_NODE_OP && c->args->no_ops)
		return false;
	/* What ran on other devices is not asked about, nor who launched it. */
	if (c->args->table.scope.has_device && !n->gpu_ops)
		return false;
	return n->depth <= deepest + (n->kind == CALL_NODE_OP);
}

/*
 * A range has all GPU time of those inside it but may have less time on the host: ranges that cross
 * sum up to more. Neither a least time nor a limit may take it from them.
 */
static void find_walls(struct choice *c)
{
	const struct call_node *nodes = c->tree->nodes;

	for (size_t i = 0; i < c->tree->count; i++)
		c->wall_ns[i] = nodes[i].wall_ns;
	for (size_t i = c->tree->count; i > 0; i--) {
		const struct call_node *n = &nodes[i - 1];

		if (n->parent != NODE_NONE && is_asked_for(c, n) &&
		    c->wall_ns[n->parent] < c->wall_ns[i - 1])
			c->wall_ns[n->parent] = c->wall_ns[i - 1];
	}
}

static bool is_small(const struct choice *c, uint32_t i)
{
	return c->tree->nodes[i].gpu_ns < c->args->min_ns && c->wall_ns[i] < c->args->min_ns;
}

static int compare_start(const struct call_node *a, const struct call_node *b)
{
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

static int compare_longer(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

/* By GPU time, then time on the host, then the shallow ones: parents come before their children. */
static int compare_worth(const void *a, const void *b, void *ctx)
{
	const struct choice *c = ctx;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct call_node *x = &c->tree->nodes[i], *y = &c->tree->nodes[j];
	int sign = compare_longer(x->gpu_ns, y->gpu_ns);

	sign = sign ? sign : compare_longer(c->wall_ns[i], c->wall_ns[j]);
	return sign ? sign : (x->depth > y->depth) - (x->depth < y->depth);
}

static int compare_time(const struct call_node *x, const struct call_node *y)
{
	int sign = compare_longer(x->gpu_ns, y->gpu_ns);

	return sign ? sign : compare_longer(x->wall_ns, y->wall_ns);
}

/* The other way round: siblings are put in front of each other. */
static int compare_siblings(const void *a, const void *b, void *ctx)
{
	const struct choice *c = ctx;
	const struct call_node *x = &c->tree->nodes[*(const uint32_t *)a];
	const struct call_node *y = &c->tree->nodes[*(const uint32_t *)b];

	int sign = c->args->order == TREE_BY_START ? 0 : -compare_time(x, y);

	return sign ? sign : -compare_start(x, y);
}

/* Of more nodes than are wanted those with the most time stay, with all above them. */
static size_t cut(struct choice *c, uint32_t *ranked, size_t count)
{
	c->all = count;
	if (!c->args->table.rows.limit || c->args->table.rows.limit >= count)
		return count;
	sort_stable(ranked, count, sizeof(*ranked), compare_worth, c);
	return c->args->table.rows.limit;
}

static void count_hidden(struct choice *c, uint32_t i)
{
	if (is_small(c, i))
		c->hidden++;
	else if (c->tree->nodes[i].depth > CALL_TREE_DEEPEST)
		c->deep++;
}

/* Where its parent's children begin. */
static size_t parent_of(const struct choice *c, uint32_t node)
{
	uint32_t parent = c->tree->nodes[node].parent;

	return parent == NODE_NONE ? c->tree->count : parent;
}

static void link_nodes(struct choice *c)
{
	const size_t count = c->tree->count;
	uint32_t *ranked = mem_alloc(count, sizeof(*ranked));
	size_t shown = 0;

	find_walls(c);
	for (uint32_t i = 0; i < count; i++) {
		if (is_asked_for(c, &c->tree->nodes[i]) && !is_small(c, i))
			ranked[shown++] = i;
		else
			count_hidden(c, i);
	}
	shown = cut(c, ranked, shown);
	for (size_t i = shown; i < c->all; i++)
		c->cut[parent_of(c, ranked[i])]++;
	sort_stable(ranked, shown, sizeof(*ranked), compare_siblings, c);
	for (size_t i = 0; i < shown; i++) {
		uint32_t *first = &c->child[parent_of(c, ranked[i])];

		c->sibling[ranked[i]] = *first;
		*first = ranked[i];
	}
	free(ranked);
}

static void walk(struct choice *c)
{
	for (uint32_t at = c->child[c->tree->count]; at != NODE_NONE;) {
		c->more[c->count] = c->sibling[at] == NODE_NONE && c->cut[parent_of(c, at)];
		c->order[c->count++] = at;
		if (c->child[at] != NODE_NONE) {
			at = c->child[at];
			continue;
		}
		while (at != NODE_NONE && c->sibling[at] == NODE_NONE)
			at = c->tree->nodes[at].parent;
		at = at == NODE_NONE ? NODE_NONE : c->sibling[at];
	}
}

uint32_t *call_tree_order(const struct call_tree *tree, const struct tree_args *a,
			  struct call_tree_shown *ret)
{
	struct choice c = {
		.tree = tree,
		.args = a,
		.wall_ns = mem_alloc(tree->count, sizeof(*c.wall_ns)),
		.child = new_ids(tree->count + 1),
		.sibling = mem_alloc(tree->count, sizeof(*c.sibling)),
		.cut = mem_zalloc(tree->count + 1, sizeof(*c.cut)),
		.order = mem_alloc(tree->count, sizeof(*c.order)),
		.more = mem_zalloc(tree->count, sizeof(*c.more)),
	};

	link_nodes(&c);
	walk(&c);
	free(c.wall_ns);
	free(c.child);
	free(c.sibling);
	free(c.cut);
	*ret = (struct call_tree_shown){c.count, c.all, c.hidden, c.deep, c.more};
	return c.order;
}
