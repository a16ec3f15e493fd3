/* Which ranks and collectives of a halted job wait for each other? */
#include "fleet/job/hang_graph.h"

#include "base/mem.h"

#include <stdlib.h>

/* Turns what collectives have into what members have. */
static void list_by_member(struct hang_graph *g)
{
	const struct hang *h = g->h;
	size_t *next;

	g->first = mem_zalloc(g->members + (size_t)1, sizeof(*g->first));
	for (size_t i = 0; i < h->wait_count; i++) {
		for (size_t k = 0; k < h->waits[i].inside; k++)
			g->first[h->inside[h->waits[i].first_inside + k] + 1]++;
	}
	for (size_t i = 0; i < g->members; i++)
		g->first[i + 1] += g->first[i];
	g->list = mem_alloc(g->first[g->members], sizeof(*g->list));
	next = mem_copy(g->first, g->members + (size_t)1, sizeof(*next));
	for (uint32_t i = 0; i < h->wait_count; i++) {
		for (size_t k = 0; k < h->waits[i].inside; k++)
			g->list[next[h->inside[h->waits[i].first_inside + k]]++] = g->members + i;
	}
	free(next);
}

static const uint32_t *next_of(const struct hang_graph *g, uint32_t node, size_t *ret_count)
{
	if (node < g->members) {
		*ret_count = g->first[node + 1] - g->first[node];
		return g->list + g->first[node];
	}
	*ret_count = g->h->waits[node - g->members].absent;
	return *ret_count ? g->h->absent + g->h->waits[node - g->members].first_absent : NULL;
}

/* Tarjan's way, with a stack of its own: a chain of waits may be as long as the job has ranks. */
struct visitor {
	struct hang_graph *g;
	uint32_t *number, *low; /* by node: from 1 on, in order of discovery */
	uint32_t *open;		/* nodes that are in no component yet */
	uint32_t *path;		/* those that are being visited */
	size_t *at;		/* by node of the path: its next neighbour */
	size_t open_count, depth;
	uint32_t components, seen;
};

static void enter(struct visitor *v, uint32_t node)
{
	v->number[node] = v->low[node] = ++v->seen;
	v->open[v->open_count++] = node;
	v->at[v->depth] = 0;
	v->path[v->depth++] = node;
}

static void close_component(struct visitor *v, uint32_t root)
{
	uint32_t node;

	do {
		node = v->open[--v->open_count];
		v->g->of[node] = v->components;
		v->g->size[v->components]++;
	} while (node != root);
	v->components++;
}

/* One step on from the node at the end of the path. */
static void visit(struct visitor *v)
{
	const uint32_t node = v->path[v->depth - 1];
	size_t count;
	const uint32_t *next = next_of(v->g, node, &count);

	if (v->at[v->depth - 1] < count) {
		const uint32_t to = next[v->at[v->depth - 1]++];

		if (!v->number[to])
			enter(v, to);
		else if (v->g->of[to] == HANG_NOBODY && v->number[to] < v->low[node])
			v->low[node] = v->number[to];
		return;
	}
	if (v->low[node] == v->number[node])
		close_component(v, node);
	if (--v->depth && v->low[node] < v->low[v->path[v->depth - 1]])
		v->low[v->path[v->depth - 1]] = v->low[node];
}

static void find_components(struct hang_graph *g)
{
	const size_t n = g->nodes;
	struct visitor v = {.g = g};

	v.number = mem_zalloc(n, sizeof(*v.number));
	v.low = mem_zalloc(n, sizeof(*v.low));
	v.open = mem_alloc(n, sizeof(*v.open));
	v.path = mem_alloc(n, sizeof(*v.path));
	v.at = mem_alloc(n, sizeof(*v.at));
	for (uint32_t i = g->members; i < n; i++) {
		if (!v.number[i])
			enter(&v, i);
		while (v.depth)
			visit(&v);
	}
	free(v.number);
	free(v.low);
	free(v.open);
	free(v.path);
	free(v.at);
}

void hang_graph_make(const struct hang *h, size_t members, struct hang_graph *ret)
{
	const size_t n = members + h->wait_count;

	*ret = (struct hang_graph){.h = h, .members = (uint32_t)members, .nodes = (uint32_t)n};
	list_by_member(ret);
	ret->of = mem_alloc(n, sizeof(*ret->of));
	ret->size = mem_zalloc(n, sizeof(*ret->size));
	ret->waits = mem_zalloc(n, sizeof(*ret->waits));
	memset(ret->of, 0xff, n * sizeof(*ret->of));
	find_components(ret);
	for (uint32_t i = 0; i < n; i++) {
		size_t count;
		const uint32_t *next = next_of(ret, i, &count);

		for (size_t k = 0; k < count && ret->of[i] != HANG_NOBODY; k++)
			ret->waits[ret->of[i]] |= ret->of[next[k]] != ret->of[i];
	}
}

void hang_graph_free(struct hang_graph *g)
{
	free(g->first);
	free(g->list);
	free(g->of);
	free(g->size);
	free(g->waits);
}
