/* Is a group late at equal distances, which chance does as seldom as it picks the same one? */
#include "analysis/numbers/chance.h"
#include "base/mem.h"
#include "fleet/job/straggler_search.h"

#include <stdlib.h>

enum { FEW = 3 }; /* times that something has to happen to have a rhythm */

static const double most = 0.75;    /* of its delays: so much lies in steps that count */
static const double own = 0.5;	    /* of the least of these: that is late as well … */
static const double others = 0.25;  /* … and that of another is no longer its own doing */
static const double likely = 0.1;   /* that it is always the same one says nothing then */
static const double of_luck = 0.25; /* beside what is spent on who is the slowest */

/* When a group is late and others are not, and when these are. */
struct rhythm {
	bool *late; /* by step: the group alone */
	uint64_t late_steps, others_steps;
};

/* The longest delay of somebody else; all of those that are known may be its own. */
static double longest_of_others(const struct stragglers *s, const struct straggler *g,
				const struct rivals *r, size_t step)
{
	const uint32_t *latest = &s->latest[step * s->latest_count];

	for (uint32_t i = 0; i < s->latest_count; i++) {
		if ((!r->out || !r->out[latest[i]]) && !straggler_has(g, latest[i]))
			return s->late_ns[latest[i] * s->steps + step];
	}
	return s->latest_count == LATEST ? INFINITY : 0;
}

/* By step: how late each of a group is at least; the caller frees it. */
static int64_t *list_own(const struct stragglers *s, const struct straggler *g)
{
	int64_t *ns = mem_alloc(s->steps, sizeof(*ns));

	for (size_t k = 0; k < s->steps; k++) {
		double least = INFINITY;

		for (uint32_t i = 0; i < g->members; i++)
			least = fmin(least, s->late_ns[g->who[i] * s->steps + k]);
		ns[k] = least > 0 ? sat_of_double(least) : 0;
	}
	return ns;
}

static void rhythm_make(const struct stragglers *s, const struct straggler *g,
			const struct rivals *r, struct rhythm *ret)
{
	int64_t *ns = list_own(s, g);
	const double least = (double)chance_least_that_counts(ns, s->steps, most);

	*ret = (struct rhythm){.late = mem_zalloc(s->steps, sizeof(*ret->late))};
	for (size_t k = 0; k < s->steps && least > 0; k++) {
		const bool alone = longest_of_others(s, g, r, k) < others * least;

		ret->late[k] = alone && (double)ns[k] >= own * least;
		ret->late_steps += ret->late[k];
		ret->others_steps += !alone;
	}
	free(ns);
}

/* The distance that most late steps have from the one before; 0: it is 1, or there is none. */
static size_t usual_distance(const struct stragglers *s, const struct rhythm *x)
{
	uint32_t *count = mem_zalloc(s->steps + 1, sizeof(*count));
	size_t last = s->steps, usual = 0;

	for (size_t k = 0; k < s->steps; k++) {
		if (!x->late[k])
			continue;
		if (last < s->steps)
			count[k - last]++;
		last = k;
	}
	for (size_t i = 1; i <= s->steps; i++)
		usual = count[i] > count[usual] ? i : usual;
	free(count);
	return usual < 2 ? 0 : usual;
}

/* Of the steps that are so far apart, beginning with any: in how many it is late, at most. */
static uint64_t count_late(const struct stragglers *s, const struct rhythm *x, size_t distance,
			   size_t *ret_first)
{
	uint64_t *count = mem_zalloc(distance, sizeof(*count)), late;

	*ret_first = 0;
	for (size_t k = 0; k < s->steps; k++)
		count[k % distance] += x->late[k];
	for (size_t i = 1; i < distance; i++)
		*ret_first = count[i] > count[*ret_first] ? i : *ret_first;
	late = count[*ret_first];
	free(count);
	return late;
}

/* In how many ways a few steps, all that there are at one distance, can be chosen. */
static double count_ways(size_t steps)
{
	double ways = 0;

	for (size_t distance = 2; (FEW - 1) * distance < steps; distance++)
		ways += fmin((double)distance, (double)(steps - (FEW - 1) * distance));
	return ways;
}

/* How likely it is that of so many steps, were they any, so many have one distance. */
static double chance_of_distance(const struct stragglers *s, const struct rhythm *x)
{
	const size_t distance = usual_distance(s, x);
	size_t first;
	uint64_t late;

	if (!distance || (FEW - 1) * distance >= s->steps)
		return 1;
	late = count_late(s, x, distance, &first);
	return fmin(1,
		    count_ways(s->steps) *
			    chance_at_least_drawn(s->steps, (s->steps - 1 - first) / distance + 1,
						  x->late_steps, late));
}

/* Of two chances that have nothing to do with each other, both or less likely ones. */
static double chance_of_both(double a, double b)
{
	return a * b > 0 ? a * b * (1 - log(a * b)) : 0;
}

bool straggler_has_rhythm(const struct stragglers *s, const struct straggler *g,
			  const struct rivals *r, double choices)
{
	const double chance = 1 / choices_of(r->count, g->members);
	struct rhythm x;
	double who = 1;
	bool has = false;

	rhythm_make(s, g, r, &x);
	/* In each step that somebody was late in, it might have been any of them alone. */
	if (x.late_steps >= FEW)
		who = fmin(1, choices * chance_at_least(x.late_steps + x.others_steps, x.late_steps,
							chance));
	if (who <= likely)
		has = chance_of_both(who, chance_of_distance(s, &x)) <= of_luck * luck;
	free(x.late);
	return has;
}
