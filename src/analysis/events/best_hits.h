/* The few events that come first in some order, of millions that are offered: the others leave no
 * trace. */
#ifndef ANALYSIS_BEST_HITS_H
#define ANALYSIS_BEST_HITS_H

#include "analysis/events/event_joins.h"
#include "report/report.h"

enum { BEST_CELLS = 8 };

struct best_hit {
	struct event_ref at;
	int64_t start_ns, duration_ns; /* DURATION_NONE: a mark */
	struct cell cells[BEST_CELLS]; /* what is said of it: its columns may be gone by then */
};

struct best_hits {
	size_t limit;	      /* how many are wanted */
	bool by_start;	      /* else the longest first */
	struct best_hit *all; /* a heap, the last of them on top */
	size_t count, cap;
};

/*
 * Whether an event may be among them, judged by times that a window has not cut: most may not, and
 * need not be looked at.
 */
bool best_hits_may_take(const struct best_hits *x, int64_t start_ns, int64_t duration_ns);
void best_hits_offer(struct best_hits *x, const struct best_hit *hit);
/* After the last: in order. */
void best_hits_settle(struct best_hits *x);
void best_hits_free(struct best_hits *x);

#endif
