/* What would each leaf take, had both sides the same mix of kinds of steps? */
#include "diff/common_mix.h"

#include "base/mem.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static bool is_shared(const struct shared_kind *k)
{
	return k->steps[BEFORE] && k->steps[AFTER];
}

/* The two shares of a kind's steps, summed up, in units of 1 / (steps before · steps after). */
static exact_ns both_shares(const struct sides *s, const struct shared_kind *k)
{
	return (exact_ns)k->steps[BEFORE] * (exact_ns)s->of[AFTER].weight +
	       (exact_ns)k->steps[AFTER] * (exact_ns)s->of[BEFORE].weight;
}

/* A step of either side is so many units. */
static exact_ns step_units(const struct sides *s)
{
	return (exact_ns)s->of[BEFORE].weight * (exact_ns)s->of[AFTER].weight;
}

static exact_ns shared_shares(const struct sides *s)
{
	exact_ns all = 0;

	for (size_t k = 0; k < s->kind_count; k++)
		all += is_shared(&s->kinds[k]) ? both_shares(s, &s->kinds[k]) : 0;
	return all;
}

/* Half a unit is rounded away from zero: other signs make other signs, and nothing else. */
static exact_ns round_div(exact_ns a, exact_ns b)
{
	return (2 * a + (a < 0 ? -b : b)) / (2 * b);
}

/*
 * Where all kinds are shared, as with one kind, in whole numbers: what is not a matter of the mix
 * is not touched by it.
 */
static exact_ns common_of(const struct sides *s, enum side side, const struct side_leaf *l,
			  exact_ns shared)
{
	const exact_ns all = 2 * step_units(s);
	exact_ns units = 0;

	for (size_t k = 0; k < s->kind_count; k++) {
		const struct shared_kind *kind = &s->kinds[k];
		const exact_ns steps = (exact_ns)kind->steps[side];

		if (!is_shared(kind))
			continue;
		if (shared == all)
			units += round_div(l->of_kind[k].ns * both_shares(s, kind), 2 * steps);
		else
			units += (exact_ns)round((double)l->of_kind[k].ns / (double)steps *
						 ((double)both_shares(s, kind) / (double)shared) *
						 (double)step_units(s));
	}
	return units;
}

void common_mix_find(struct sides *s)
{
	const exact_ns shared = shared_shares(s);

	for (int side = 0; side < SIDES; side++) {
		const exact_ns others = (exact_ns)s->of[side == BEFORE ? AFTER : BEFORE].weight;
		const int sign = side == BEFORE ? -1 : 1;

		for (size_t i = 0; i < s->of[side].leaf_count; i++) {
			struct side_leaf *l = &s->of[side].leaves[i];

			l->common = common_of(s, (enum side)side, l, shared);
			l->delta = sign * l->common;
			l->mix = sign * (l->all.ns * others - l->common);
		}
	}
}

void common_mix_add(struct mixed_sum *to, const struct sides *s, enum side side,
		    const struct side_leaf *l)
{
	const double shared = (double)shared_shares(s);

	for (size_t k = 0; k < s->kind_count; k++) {
		const struct shared_kind *kind = &s->kinds[k];
		double share;

		if (!is_shared(kind))
			continue;
		share = (double)both_shares(s, kind) / shared / (double)kind->steps[side];
		to->ns += share * (double)l->of_kind[k].ns;
		to->work_ns += share * (double)l->of_kind[k].work_ns;
		to->calls += share * (double)l->of_kind[k].calls;
	}
}

struct remainder {
	exact_ns left; /* has the sign of what it is left of */
	size_t at;
};

static int by_left(const void *p, const void *q, void *ctx)
{
	const exact_ns a = ((const struct remainder *)p)->left,
		       b = ((const struct remainder *)q)->left;
	const bool *most_first = ctx;

	return a == b ? 0 : (a > b) == *most_first ? -1 : 1;
}

void exact_round(const struct sides *s, const exact_ns *units, size_t count, int64_t *ret_ns)
{
	const exact_ns step = step_units(s);
	struct remainder *left = mem_alloc(count, sizeof(*left));
	exact_ns missing = 0, all = 0;
	bool upwards;

	for (size_t i = 0; i < count; i++) {
		all += units[i];
		missing -= units[i] / step;
		ret_ns[i] = (int64_t)(units[i] / step);
		left[i] = (struct remainder){units[i] % step, i};
	}
	missing += round_div(all, step);
	upwards = missing > 0;
	sort_stable(left, count, sizeof(*left), by_left, &upwards);
	for (size_t i = 0; i < count && missing; i++) {
		ret_ns[left[i].at] += upwards ? 1 : -1;
		missing += upwards ? -1 : 1;
	}
	free(left);
}
