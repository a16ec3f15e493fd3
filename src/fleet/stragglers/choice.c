/* Of stragglers that overlap, which one is named? */
#include "base/sort.h"
#include "fleet/stragglers/search.h"

/* What it is worth beside another that has ranks of it. */
static double weight(const struct straggler *g)
{
	return g->saved_ns / price(g);
}

static int by_weight(const void *a, const void *b, void *ctx)
{
	const struct straggler *x = a, *y = b;

	(void)ctx;
	if (weight(x) != weight(y))
		return weight(x) < weight(y) ? 1 : -1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind
				  : (x->number > y->number) - (x->number < y->number);
}

static bool overlap(const struct straggler *a, const struct straggler *b)
{
	for (uint32_t i = 0; i < a->members; i++) {
		if (straggler_has(b, a->who[i]))
			return true;
	}
	return false;
}

static bool is_inside(const struct straggler *a, const struct straggler *b)
{
	for (uint32_t i = 0; i < a->members; i++) {
		if (!straggler_has(b, a->who[i]))
			return false;
	}
	return true;
}

/* Whether all of a group are about as late as the ranks of a set. */
static bool is_late_as_a_whole(const struct stragglers *s, const struct straggler *g,
			       const struct straggler *set)
{
	for (uint32_t i = 0; i < g->members; i++) {
		if (delays_of(s, g->who[i]) / (double)s->steps < set->late_ns / 2)
			return false;
	}
	return true;
}

bool straggler_stands_for(const struct stragglers *s, const struct straggler *g,
			  const struct straggler *set)
{
	return (g->kind == STRAGGLER_NODE || g->kind == STRAGGLER_RAIL) &&
	       set->kind == STRAGGLER_SET && is_inside(set, g) && is_late_as_a_whole(s, g, set);
}

/* What holds a rank up: its host, its compute or its copies; 0: not known. */
static int sort_of_cause(enum straggler_cause cause)
{
	switch (cause) {
	case SLOW_BY_HOST:
	case SLOW_BY_DATA:
		return 1;
	case SLOW_BY_CLOCK:
	case SLOW_BY_KERNELS:
		return 2;
	case SLOW_BY_COPIES:
		return 3;
	default:
		return 0;
	}
}

/* Ranks that are late for different reasons are on one node, or rail, by coincidence. */
static bool reasons_differ(struct stragglers *s, const struct straggler *set)
{
	struct straggler g = *set;
	int seen = 0;
	bool differ = false;

	straggler_find_pattern(s, &g);
	straggler_explain(s, &g);
	for (uint32_t i = 0; g.each && i < g.members; i++) {
		const int sort = sort_of_cause(g.each[i].cause);

		differ |= seen && sort && sort != seen;
		seen = sort ? sort : seen;
	}
	return differ;
}

static bool has_a_name(struct stragglers *s, const struct straggler *set)
{
	if (set->kind != STRAGGLER_SET || reasons_differ(s, set))
		return false;
	for (size_t i = 0; i < s->count; i++) {
		if (straggler_stands_for(s, &s->all[i], set))
			return true;
	}
	return false;
}

/* A group is named for its ranks only where it explains more than the slowest of them. */
static bool is_covered(const struct stragglers *s, const struct straggler *g, size_t others)
{
	for (size_t i = 0; i < others; i++) {
		if (overlap(g, &s->all[i]))
			return true;
	}
	return false;
}

static void drop_nameless(struct stragglers *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		const struct straggler g = s->all[i];

		if (!has_a_name(s, &g))
			s->all[kept++] = g;
	}
	s->count = kept;
}

void stragglers_choose(struct stragglers *s)
{
	size_t kept = 0;

	drop_nameless(s);
	sort_stable(s->all, s->count, sizeof(*s->all), by_weight, NULL);
	for (size_t i = 0; i < s->count && kept < NAMED; i++) {
		const struct straggler g = s->all[i];

		if (!is_covered(s, &g, kept))
			s->all[kept++] = g;
	}
	s->count = kept;
}
