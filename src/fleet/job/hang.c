/* Who holds up a job that came to a halt? */
#include "fleet/job/hang.h"

#include "fleet/job/hang_waits.h"

#include "base/mem.h"

#include <stdlib.h>

enum { LEVELS_MAX = 32 };

/*
 * Who waits for whom: a member for the collectives it is in, a collective for the members that do
 * not come. Members are numbered first, collectives behind them.
 */
struct graph {
	const struct hang *h;
	uint32_t members, nodes;
	size_t *first;	/* by member: where its collectives begin in … */
	uint32_t *list; /* … this */
};

static void graph_make(struct graph *g, const struct hang *h, size_t members)
{
	size_t *next;

	*g = (struct graph){h, (uint32_t)members, (uint32_t)(members + h->wait_count), NULL, NULL};
	g->first = mem_zalloc(members + 1, sizeof(*g->first));
	for (size_t i = 0; i < h->wait_count; i++) {
		for (size_t k = 0; k < h->waits[i].inside; k++)
			g->first[h->inside[h->waits[i].first_inside + k] + 1]++;
	}
	for (size_t i = 0; i < members; i++)
		g->first[i + 1] += g->first[i];
	g->list = mem_alloc(g->first[members], sizeof(*g->list));
	next = mem_copy(g->first, members + 1, sizeof(*next));
	for (size_t i = 0; i < h->wait_count; i++) {
		for (size_t k = 0; k < h->waits[i].inside; k++)
			g->list[next[h->inside[h->waits[i].first_inside + k]]++] =
				(uint32_t)(members + i);
	}
	free(next);
}

static void graph_free(struct graph *g)
{
	free(g->first);
	free(g->list);
}

static const uint32_t *next_of(const struct graph *g, uint32_t node, size_t *ret_count)
{
	if (node < g->members) {
		*ret_count = g->first[node + 1] - g->first[node];
		return g->list + g->first[node];
	}
	*ret_count = g->h->waits[node - g->members].absent;
	return g->h->absent + g->h->waits[node - g->members].first_absent;
}

/*
 * Components of nodes that wait for each other, by Tarjan, with a stack of its own: a chain of
 * waits may be as long as the job has ranks. Those that wait for nobody else are found first.
 */
struct components {
	const struct graph *g;
	uint32_t *number, *low; /* by node: from 1 on, in order of discovery */
	uint32_t *of;		/* by node: its component; HANG_NOBODY: not known yet */
	bool *waits;		/* by component: for another one */
	uint32_t *size;		/* by component: nodes */
	uint32_t count, seen;
	uint32_t *open,
		*path; /* nodes that are in no component yet; those that are being visited */
	size_t *at;    /* by node of the path: its next neighbour */
	size_t open_count, depth;
};

static void enter(struct components *c, uint32_t node)
{
	c->number[node] = c->low[node] = ++c->seen;
	c->open[c->open_count++] = node;
	c->at[c->depth] = 0;
	c->path[c->depth++] = node;
}

static void close_component(struct components *c, uint32_t root)
{
	uint32_t node;

	do {
		node = c->open[--c->open_count];
		c->of[node] = c->count;
		c->size[c->count]++;
	} while (node != root);
	c->count++;
}

/* One step on from the node at the end of the path. */
static void visit(struct components *c)
{
	const uint32_t node = c->path[c->depth - 1];
	size_t count;
	const uint32_t *next = next_of(c->g, node, &count);

	if (c->at[c->depth - 1] < count) {
		const uint32_t to = next[c->at[c->depth - 1]++];

		if (!c->number[to])
			enter(c, to);
		else if (c->of[to] == HANG_NOBODY && c->number[to] < c->low[node])
			c->low[node] = c->number[to];
		return;
	}
	if (c->low[node] == c->number[node])
		close_component(c, node);
	if (--c->depth && c->low[node] < c->low[c->path[c->depth - 1]])
		c->low[c->path[c->depth - 1]] = c->low[node];
}

static void components_make(struct components *c, const struct graph *g)
{
	const size_t n = g->nodes;

	*c = (struct components){.g = g};
	c->number = mem_zalloc(n, sizeof(*c->number));
	c->low = mem_zalloc(n, sizeof(*c->low));
	c->of = mem_alloc(n, sizeof(*c->of));
	c->waits = mem_zalloc(n, sizeof(*c->waits));
	c->size = mem_zalloc(n, sizeof(*c->size));
	c->open = mem_alloc(n, sizeof(*c->open));
	c->path = mem_alloc(n, sizeof(*c->path));
	c->at = mem_alloc(n, sizeof(*c->at));
	memset(c->of, 0xff, n * sizeof(*c->of));
	for (uint32_t i = g->members; i < n; i++) {
		if (!c->number[i])
			enter(c, i);
		while (c->depth)
			visit(c);
	}
	for (uint32_t i = 0; i < n; i++) {
		size_t count = 0;
		const uint32_t *next = c->number[i] ? next_of(g, i, &count) : NULL;

		for (size_t k = 0; k < count; k++)
			c->waits[c->of[i]] |= c->of[next[k]] != c->of[i];
	}
}

static void components_free(struct components *c)
{
	free(c->number);
	free(c->low);
	free(c->of);
	free(c->waits);
	free(c->size);
	free(c->open);
	free(c->path);
	free(c->at);
}

static bool is_last(const struct components *c, uint32_t node)
{
	return c->number[node] && !c->waits[c->of[node]];
}

/* What one that waits for nobody else is, or is part of. */
static enum hang_cause cause_of(const struct components *c, uint32_t node)
{
	if (c->size[c->of[node]] > 1)
		return HANG_ORDER;
	if (node < c->g->members)
		return HANG_STOPPED;
	return c->g->h->waits[node - c->g->members].sizes_differ ? HANG_SIZES : HANG_NO_CAPTURE;
}

/* The first of what there is, in the order in which it is believed. */
static enum hang_cause find_cause(const struct components *c, uint32_t *ret_node)
{
	enum hang_cause cause = HANG_NONE;

	for (uint32_t i = 0; i < c->g->nodes; i++) {
		if (!is_last(c, i) || (cause != HANG_NONE && cause_of(c, i) >= cause))
			continue;
		cause = cause_of(c, i);
		*ret_node = i;
	}
	return cause;
}

static void add_root(struct hang *h, uint32_t member)
{
	h->roots[h->root_count++] = member;
	h->level[member] = 0;
}

/* All who stopped; those of the first circle; those who are in the collective that cannot end. */
static void find_roots(struct hang *h, const struct components *c, uint32_t node)
{
	h->roots = mem_alloc(c->g->members, sizeof(*h->roots));
	if (h->cause == HANG_SIZES || h->cause == HANG_NO_CAPTURE) {
		const struct hang_wait *w = &h->waits[node - c->g->members];

		for (size_t i = 0; i < w->inside; i++)
			add_root(h, h->inside[w->first_inside + i]);
		return;
	}
	for (uint32_t i = 0; i < c->g->members; i++) {
		if (is_last(c, i) &&
		    (h->cause == HANG_STOPPED ? c->size[c->of[i]] == 1 : c->of[i] == c->of[node]))
			add_root(h, i);
	}
}

/* The least level of those who do not come, and one more; HANG_NOBODY: none has one. */
static uint32_t level_of(const struct hang *h, const struct hang_wait *w)
{
	uint32_t least = HANG_NOBODY;

	for (size_t i = 0; i < w->absent; i++) {
		const uint32_t level = h->level[h->absent[w->first_absent + i]];

		least = level < least ? level : least;
	}
	return least == HANG_NOBODY ? HANG_NOBODY : least + 1;
}

/* From those who are to blame outwards; nobody asks how far the last ones are. */
static void find_levels(struct hang *h)
{
	bool changed = true;

	for (uint32_t now = 1; changed && now <= LEVELS_MAX; now++) {
		changed = false;
		for (size_t i = 0; i < h->wait_count; i++) {
			struct hang_wait *w = &h->waits[i];

			if (w->level || level_of(h, w) != now)
				continue;
			w->level = now;
			changed = true;
		}
		for (size_t i = 0; i < h->wait_count; i++) {
			const struct hang_wait *w = &h->waits[i];

			for (size_t k = 0; k < w->inside && w->level == now; k++) {
				uint32_t *level = &h->level[h->inside[w->first_inside + k]];

				*level = *level < now ? *level : now;
			}
		}
	}
}

void hang_find(const struct job *j, const struct instances *x, struct hang *ret)
{
	struct components c;
	struct graph g;
	uint32_t node = 0;

	*ret = (struct hang){0};
	hang_find_waits(j, x, ret);
	ret->level = mem_alloc(j->member_count, sizeof(*ret->level));
	memset(ret->level, 0xff, j->member_count * sizeof(*ret->level));
	graph_make(&g, ret, j->member_count);
	components_make(&c, &g);
	ret->cause = find_cause(&c, &node);
	if (ret->cause != HANG_NONE) {
		find_roots(ret, &c, node);
		find_levels(ret);
	}
	components_free(&c);
	graph_free(&g);
}

void hang_free(struct hang *h)
{
	free(h->waits);
	free(h->inside);
	free(h->absent);
	free(h->roots);
	free(h->level);
	*h = (struct hang){0};
}
