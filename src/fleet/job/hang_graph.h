/*
 * Who waits for whom in a halted job: a member for the collectives it is in, a collective for the
 * members that do not come. Members are numbered first, collectives behind them.
 */
#ifndef FLEET_HANG_GRAPH_H
#define FLEET_HANG_GRAPH_H

#include "fleet/job/hang.h"

struct hang_graph {
	const struct hang *h;
	uint32_t members, nodes;
	size_t *first;	/* by member: where its collectives begin in … */
	uint32_t *list; /* … this */
	/* Nodes that wait for each other are one component. */
	uint32_t *of;	/* by node: its component; HANG_NOBODY: nobody waits for it */
	uint32_t *size; /* by component: nodes */
	bool *waits;	/* by component: for another one */
};

/* Of the waits of `h`, which has to stay as it is. */
void hang_graph_make(const struct hang *h, size_t members, struct hang_graph *ret);
void hang_graph_free(struct hang_graph *g);

/* Whether others wait for it, and it for nobody beyond its component. */
static inline bool hang_graph_is_last(const struct hang_graph *g, uint32_t node)
{
	return g->of[node] != HANG_NOBODY && !g->waits[g->of[node]];
}

#endif
