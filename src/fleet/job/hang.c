/* Who holds up a job that came to a halt? */
#include "fleet/job/hang.h"

#include "fleet/job/hang_graph.h"
#include "fleet/job/hang_waits.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
	LEVELS_MAX = 32,  /* nobody asks how far from who is to blame the last ones are */
	CIRCLES_MAX = 64, /* collectives of which any two are held against each other */
};

/* What one that waits for nobody else is, or is part of. */
static enum hang_cause cause_of(const struct hang_graph *g, uint32_t node)
{
	if (g->size[g->of[node]] > 1)
		return HANG_ORDER;
	if (node < g->members)
		return HANG_STOPPED;
	return g->h->waits[node - g->members].sizes_differ ? HANG_SIZES : HANG_NO_CAPTURE;
}

/* The first of what there is, in the order in which it is believed. */
static enum hang_cause find_cause(const struct hang_graph *g, uint32_t *ret_node)
{
	enum hang_cause cause = HANG_NONE;

	for (uint32_t i = 0; i < g->nodes; i++) {
		if (!hang_graph_is_last(g, i) || (cause != HANG_NONE && cause_of(g, i) >= cause))
			continue;
		cause = cause_of(g, i);
		*ret_node = i;
	}
	return cause;
}

static void add_root(struct hang *h, uint32_t member)
{
	h->roots[h->root_count++] = member;
	h->level[member] = 0;
}

static void blame_stopped(struct hang *h, const struct hang_graph *g)
{
	for (uint32_t i = 0; i < g->members; i++) {
		if (hang_graph_is_last(g, i) && g->size[g->of[i]] == 1)
			add_root(h, i);
	}
}

static void blame_inside(struct hang *h, const struct hang_wait *w)
{
	for (size_t i = 0; i < w->inside; i++)
		add_root(h, h->inside[w->first_inside + i]);
}

/* Marks members that are in one collective and do not come to the other; how many these are. */
static size_t mark_between(const struct hang *h, const struct hang_wait *in,
			   const struct hang_wait *out, bool *is_inside, bool *mark)
{
	size_t count = 0;

	for (size_t i = 0; i < in->inside; i++)
		is_inside[h->inside[in->first_inside + i]] = true;
	for (size_t i = 0; i < out->absent; i++) {
		const uint32_t member = h->absent[out->first_absent + i];

		if (mark && is_inside[member])
			mark[member] = true;
		count += is_inside[member];
	}
	for (size_t i = 0; i < in->inside; i++)
		is_inside[h->inside[in->first_inside + i]] = false;
	return count;
}

/* Two collectives, each of which waits for ranks that are in the other. */
struct circle {
	const struct hang_wait *a, *b;
	size_t members;
};

/* That of most members: of many circles that are closed by one rank, the one that shows it best. */
static struct circle find_circle(const struct hang *h, const struct hang_graph *g,
				 uint32_t component, bool *is_inside)
{
	uint32_t of[CIRCLES_MAX];
	struct circle best = {0};
	size_t count = 0;

	for (uint32_t i = 0; i < h->wait_count && count < CIRCLES_MAX; i++) {
		if (g->of[g->members + i] == component)
			of[count++] = i;
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t k = i + 1; k < count; k++) {
			const struct hang_wait *a = &h->waits[of[i]], *b = &h->waits[of[k]];
			const size_t there = mark_between(h, a, b, is_inside, NULL);
			const size_t back = there ? mark_between(h, b, a, is_inside, NULL) : 0;

			if (back && there + back > best.members)
				best = (struct circle){a, b, there + back};
		}
	}
	return best;
}

/* Those of two collectives that close a circle; of a longer one all. */
static void blame_circle(struct hang *h, const struct hang_graph *g, uint32_t component)
{
	bool *is_inside = mem_zalloc(g->members, sizeof(*is_inside));
	bool *mark = mem_zalloc(g->members, sizeof(*mark));
	const struct circle c = find_circle(h, g, component, is_inside);

	if (c.members) {
		mark_between(h, c.a, c.b, is_inside, mark);
		mark_between(h, c.b, c.a, is_inside, mark);
	}
	for (uint32_t i = 0; i < g->members; i++) {
		if (c.members ? mark[i] : g->of[i] == component)
			add_root(h, i);
	}
	free(is_inside);
	free(mark);
}

static void find_roots(struct hang *h, const struct hang_graph *g, uint32_t node)
{
	h->roots = mem_alloc(g->members, sizeof(*h->roots));
	if (h->cause == HANG_STOPPED)
		blame_stopped(h, g);
	else if (h->cause == HANG_ORDER)
		blame_circle(h, g, g->of[node]);
	else
		blame_inside(h, &h->waits[node - g->members]);
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

static void lift_inside(struct hang *h, const struct hang_wait *w)
{
	for (size_t i = 0; i < w->inside; i++) {
		uint32_t *level = &h->level[h->inside[w->first_inside + i]];

		*level = *level < w->level ? *level : w->level;
	}
}

/* From those who are to blame outwards. */
static void find_levels(struct hang *h)
{
	for (uint32_t now = 1; now <= LEVELS_MAX; now++) {
		for (size_t i = 0; i < h->wait_count; i++) {
			if (!h->waits[i].level && level_of(h, &h->waits[i]) == now)
				h->waits[i].level = now;
		}
		for (size_t i = 0; i < h->wait_count; i++) {
			if (h->waits[i].level == now)
				lift_inside(h, &h->waits[i]);
		}
	}
}

void hang_find(const struct job *j, const struct instances *x, struct hang *ret)
{
	struct hang_graph g;
	uint32_t node = 0;

	*ret = (struct hang){0};
	hang_find_waits(j, x, ret);
	ret->level = mem_alloc(j->member_count, sizeof(*ret->level));
	memset(ret->level, 0xff, j->member_count * sizeof(*ret->level));
	hang_graph_make(ret, j->member_count, &g);
	ret->cause = find_cause(&g, &node);
	if (ret->cause != HANG_NONE) {
		find_roots(ret, &g, node);
		find_levels(ret);
	}
	hang_graph_free(&g);
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
