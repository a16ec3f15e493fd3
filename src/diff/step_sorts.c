/* Which steps launch the same? */
#include "diff/step_sorts.h"

#include <stdbool.h>

static const double alike = 0.8;    /* of what two steps launch, in steps of one sort */
static const double block = 0.05;   /* of a step's launches or their time: less comes and goes */
static const double instead = 0.25; /* of a block: so much in its place, and it was replaced */

struct sort {
	size_t usual; /* the first such step */
	size_t steps;
	uint32_t leads_to; /* where odd steps go; itself otherwise */
};

struct sorting {
	const struct step_launches *of;
	struct sort all[STEP_KINDS_MAX];
	size_t count;
};

/* How much of what two steps launch is in both: 0 to 1. */
static double likeness(const struct step_launches *l, size_t x, size_t y)
{
	const uint32_t *a = &l->calls[x * l->names], *b = &l->calls[y * l->names];
	uint64_t common = 0, all = 0;

	for (size_t i = 0; i < l->names; i++) {
		common += a[i] < b[i] ? a[i] : b[i];
		all += a[i] < b[i] ? b[i] : a[i];
	}
	return all ? (double)common / (double)all : 1;
}

/* Shares of what a step launches, of names that another launches not once. */
struct own {
	double calls, ns;
};

static struct own own_of(const struct step_launches *l, size_t x, size_t y)
{
	const uint32_t *a = &l->calls[x * l->names], *b = &l->calls[y * l->names];
	const int64_t *ns = &l->ns[x * l->names];
	double calls = 0, time = 0, all_calls = 0, all_time = 0;

	for (size_t i = 0; i < l->names; i++) {
		all_calls += a[i];
		all_time += (double)ns[i];
		calls += b[i] ? 0 : a[i];
		time += b[i] ? 0 : (double)ns[i];
	}
	return (struct own){all_calls > 0 ? calls / all_calls : 0,
			    all_time > 0 ? time / all_time : 0};
}

static bool is_block(double own, double others)
{
	return own >= block && others < instead * own;
}

/* Whether one of two steps launches all that the other does, and a block beside. */
static bool differ_by_block(const struct step_launches *l, size_t x, size_t y)
{
	const struct own a = own_of(l, x, y), b = own_of(l, y, x);

	return is_block(a.calls, b.calls) || is_block(b.calls, a.calls) || is_block(a.ns, b.ns) ||
	       is_block(b.ns, a.ns);
}

static bool is_of_sort(const struct sorting *s, const struct sort *sort, size_t step)
{
	return likeness(s->of, sort->usual, step) >= alike &&
	       !differ_by_block(s->of, sort->usual, step);
}

/* The sort that a step is most like, of those with at least so many steps. */
static uint32_t nearest(const struct sorting *s, size_t step, size_t least)
{
	double best = -1;
	uint32_t found = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		const double like = likeness(s->of, s->all[i].usual, step);

		if (s->all[i].steps >= least && like > best) {
			best = like;
			found = i;
		}
	}
	return found;
}

/* The sort that a step is of, the one it is most like; a new one where it is of none. */
static uint32_t sort_step(struct sorting *s, size_t step)
{
	double best = -1;
	uint32_t found = STEP_KINDS_MAX;

	for (uint32_t i = 0; i < s->count; i++) {
		const double like = likeness(s->of, s->all[i].usual, step);

		if (like > best && is_of_sort(s, &s->all[i], step)) {
			best = like;
			found = i;
		}
	}
	if (found == STEP_KINDS_MAX && s->count < STEP_KINDS_MAX) {
		found = (uint32_t)s->count++;
		s->all[found] = (struct sort){.usual = step};
	} else if (found == STEP_KINDS_MAX) {
		found = nearest(s, step, 0);
	}
	s->all[found].steps++;
	return found;
}

/* Odd steps go where they fit best; where all are odd, to the first. */
static void join_odd(struct sorting *s)
{
	bool any = false;

	for (size_t i = 0; i < s->count; i++)
		any |= s->all[i].steps >= SORT_STEPS;
	for (uint32_t i = 0; i < s->count; i++) {
		if (!any)
			s->all[i].leads_to = 0;
		else if (s->all[i].steps >= SORT_STEPS)
			s->all[i].leads_to = i;
		else
			s->all[i].leads_to = nearest(s, s->all[i].usual, SORT_STEPS);
	}
}

size_t step_sorts_find(const struct step_launches *l, uint32_t *ret_sorts)
{
	struct sorting s = {.of = l};

	for (size_t i = 0; i < l->steps; i++)
		ret_sorts[i] = sort_step(&s, i);
	join_odd(&s);
	for (size_t i = 0; i < l->steps; i++)
		ret_sorts[i] = s.all[ret_sorts[i]].leads_to;
	return s.count;
}
