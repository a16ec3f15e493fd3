/* How do the NVTX ranges share the GPU time? */
#include "analysis/ranges/range_tree.h"
#include "base/mem.h"
#include "report/chart.h"

#include <stdlib.h>

/* Of all GPU time: what is smaller is no more than a hair's breadth in the chart. */
static const double SMALLEST = 0.001;

enum { NODES_MAX = 400 };

static bool is_drawn(const struct range_tree *tree, const struct path *p)
{
	return (double)p->all.ns >= SMALLEST * (double)tree->gpu.ns && p->all.ns > 0;
}

/* A path's parents have at least its time: whoever is drawn stands on somebody who is. */
void range_tree_chart(struct report *r, const struct range_tree *tree)
{
	uint32_t *node = mem_alloc(tree->count, sizeof(*node));
	size_t count = 0;
	struct chart *c;

	for (size_t i = 0; i < tree->count; i++)
		count += is_drawn(tree, &tree->paths[i]) && count < NODES_MAX;
	if (!tree->has_gpu || !count) {
		free(node);
		return;
	}
	c = report_new_chart(r, CHART_ICICLE, "GPU time by NVTX range", UNIT_NS, count, NULL, 1);
	count = 0;
	for (size_t i = 0; i < tree->count && count < c->count; i++) {
		const struct path *p = &tree->paths[i];

		node[i] = CHART_ROOT;
		if (!is_drawn(tree, p))
			continue;
		node[i] = (uint32_t)count;
		c->labels[count] = range_tree_name(tree, p->name);
		c->parents[count] = p->parent == RANGE_NONE ? CHART_ROOT : node[p->parent];
		*chart_item(c, count) = (double)p->all.ns;
		count++;
	}
	free(node);
}
