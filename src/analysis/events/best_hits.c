/* Which few of many come first? */
#include "analysis/events/best_hits.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

/* Whether a comes before b. */
static bool comes_before(const struct best_hits *x, const struct best_hit *a,
			 const struct best_hit *b)
{
	if (!x->by_start && a->duration_ns != b->duration_ns)
		return a->duration_ns > b->duration_ns;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->at.kind != b->at.kind)
		return a->at.kind < b->at.kind;
	return a->at.row < b->at.row;
}

bool best_hits_may_take(const struct best_hits *x, int64_t start_ns, int64_t duration_ns)
{
	if (x->count < x->limit)
		return true;
	if (x->by_start)
		return start_ns <= x->all[0].start_ns;
	return duration_ns >= x->all[0].duration_ns;
}

static void swap(struct best_hits *x, size_t a, size_t b)
{
	struct best_hit hit = x->all[a];

	x->all[a] = x->all[b];
	x->all[b] = hit;
}

static void rise(struct best_hits *x, size_t at)
{
	for (; at && comes_before(x, &x->all[(at - 1) / 2], &x->all[at]); at = (at - 1) / 2)
		swap(x, at, (at - 1) / 2);
}

static void sink(struct best_hits *x)
{
	for (size_t at = 0, next; (next = 2 * at + 1) < x->count; at = next) {
		if (next + 1 < x->count && comes_before(x, &x->all[next], &x->all[next + 1]))
			next++;
		if (!comes_before(x, &x->all[at], &x->all[next]))
			return;
		swap(x, at, next);
	}
}

void best_hits_offer(struct best_hits *x, const struct best_hit *hit)
{
	if (x->count < x->limit) {
		MEM_GROW(x->all, x->cap, x->count + 1);
		x->all[x->count] = *hit;
		rise(x, x->count++);
	} else if (x->count && comes_before(x, hit, &x->all[0])) {
		x->all[0] = *hit;
		sink(x);
	}
}

static int compare_hits(const void *a, const void *b, void *ctx)
{
	const struct best_hits *x = ctx;

	return comes_before(x, a, b) ? -1 : comes_before(x, b, a);
}

void best_hits_settle(struct best_hits *x)
{
	sort_stable(x->all, x->count, sizeof(*x->all), compare_hits, x);
}

void best_hits_free(struct best_hits *x)
{
	free(x->all);
	*x = (struct best_hits){0};
}
