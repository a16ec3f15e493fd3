/* Which ranks are late together, so that no one of them holds the job up alone? */
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

enum { HIDDEN = 4 }; /* with the longest delays, that others may hide behind */

static const double share = 0.1; /* of what a set saves, for more ranks to belong to it */

/*
 * Any ranks may be late. Those with the longest delays are tried, one, two, …, and once they are no
 * chance, what is left without them: a rank that is late now and then is seen beside one that
 * always is.
 */
struct sets {
	uint32_t *order; /* members, that with the longest delays first */
	bool *out;	 /* by member: of those that are no chance */
	size_t most;	 /* of these are looked at */
	size_t ends[SET_MAX];
	size_t end_count; /* after so many of `order` a set ends that is no chance */
};

static uint32_t *sort_by_delay(const struct stragglers *s)
{
	const size_t n = s->job->member_count;
	int64_t *keys = mem_alloc(n, sizeof(*keys));
	uint32_t *order;

	for (uint32_t i = 0; i < n; i++)
		keys[i] = sort_key_of_double(-delays_of(s, i));
	order = sort_new_order(keys, n);
	free(keys);
	return order;
}

static int by_number(const void *a, const void *b, void *ctx)
{
	const uint32_t *x = a, *y = b;

	(void)ctx;
	return (*x > *y) - (*x < *y);
}

static void make_set(struct stragglers *s, const uint32_t *from, size_t count,
		     struct straggler *ret)
{
	uint32_t *who = arena_alloc(&s->arena, count, sizeof(*who));

	memcpy(who, from, count * sizeof(*who));
	sort_stable(who, count, sizeof(*who), by_number, NULL);
	straggler_make(s, STRAGGLER_SET, who[0], who, (uint32_t)count, ret);
}

/*
 * How many tries a set of m counts for. Any other m might have been found as well. Sets of two have
 * a quarter of the luck, those of three an eighth, and so on, and a rank beside one that is set
 * aside has half: all together spend it once. One rank has its own, with which ranks are tried
 * alone. What was found to be no chance has spent none.
 */
static double ways_of(size_t left, size_t m)
{
	return choices_of(left, m) * (m > 1 ? ldexp(1, (int)m) : 1);
}

static double ways_beside(size_t left)
{
	return 2 * (double)left * (double)(left - 1);
}

/* How many of those that follow are no chance together; 0: none are. */
static size_t next_set(struct stragglers *s, const struct sets *x, size_t begin)
{
	struct rivals rivals;
	size_t found = 0;

	rivals_make(s, x->out, &rivals);
	for (size_t m = 1; begin + m <= x->most && !found; m++) {
		struct straggler g;

		make_set(s, &x->order[begin], m, &g);
		if (!straggler_is_chance(s, &g, &rivals, ways_of(s->job->member_count - begin, m)))
			found = m;
	}
	rivals_free(&rivals);
	return found;
}

/* Whether a rank is no chance once another one is not looked at. */
static bool is_hidden(struct stragglers *s, struct sets *x, size_t begin, uint32_t rank,
		      uint32_t aside)
{
	struct rivals rivals;
	struct straggler g;
	bool by_chance;

	make_set(s, &rank, 1, &g);
	x->out[aside] = true;
	rivals_make(s, x->out, &rivals);
	by_chance = straggler_is_chance(s, &g, &rivals, ways_beside(s->job->member_count - begin));
	rivals_free(&rivals);
	x->out[aside] = false;
	return !by_chance;
}

/*
 * A rank that is always late hides behind one that is later now and then, so that neither is the
 * slowest often enough. Of the first few that follow; it becomes the first of them. 0: none does.
 */
static size_t next_hidden(struct stragglers *s, struct sets *x, size_t begin)
{
	const size_t end = begin + HIDDEN < x->most ? begin + HIDDEN : x->most;

	for (size_t i = begin; i < end; i++) {
		const uint32_t rank = x->order[i];

		for (size_t k = begin; k < end; k++) {
			if (i == k || !is_hidden(s, x, begin, rank, x->order[k]))
				continue;
			x->order[i] = x->order[begin];
			x->order[begin] = rank;
			return 1;
		}
	}
	return 0;
}

static void find_ends(struct stragglers *s, struct sets *x)
{
	size_t end = 0, more;

	while ((more = next_set(s, x, end)) || (more = next_hidden(s, x, end))) {
		for (size_t i = end; i < end + more; i++)
			x->out[x->order[i]] = true;
		x->ends[x->end_count++] = end += more;
	}
}

static double saved_without(struct stragglers *s, const uint32_t *order, size_t count,
			    struct straggler *ret)
{
	make_set(s, order, count, ret);
	straggler_replay(s, ret);
	return ret->saved_ns;
}

/* Whether what is missing to the most that can be saved is worth another rank: a rank that is a
 * little late itself does not belong to those that hold the job up. */
static bool falls_short(const struct stragglers *s, double saved_ns, double most_ns)
{
	return is_worth(s, most_ns - saved_ns) && most_ns - saved_ns >= share * most_ns;
}

/*
 * Of sets that end so, each of which has those before it: the smallest beyond which no more is
 * saved that is worth it. False: none saves anything.
 */
static bool find_smallest(struct stragglers *s, const uint32_t *order, const size_t *ends,
			  size_t count, struct straggler *ret)
{
	double most_ns;
	size_t at;

	if (!count)
		return false;
	most_ns = saved_without(s, order, ends[count - 1], ret);
	at = BISECT(0, count - 1, i,
		    falls_short(s, saved_without(s, order, ends[i], ret), most_ns));
	return is_worth(s, saved_without(s, order, ends[at], ret));
}

/* Beside one that is slow, others may be late in the same steps by luck. False: all are. */
static bool keep_slow(struct stragglers *s, struct straggler *g)
{
	uint32_t *kept = mem_alloc(g->members, sizeof(*kept));
	const uint32_t count = drop_lucky(s, g->who, g->members, kept);
	const bool fewer = count < g->members;

	if (count && fewer)
		saved_without(s, kept, count, g);
	free(kept);
	return count && (!fewer || is_worth(s, g->saved_ns));
}

/* As many as are late enough to be told, but half of all at most: then nobody can tell who is. */
static size_t count_late(const struct stragglers *s, const uint32_t *order)
{
	const size_t half = s->job->member_count / 2, most = half < SET_MAX ? half : SET_MAX;
	size_t count = 0;

	while (count < most && is_worth(s, delays_of(s, order[count]) / (double)s->steps))
		count++;
	return count;
}

/* One rank is named as that, unless it was found alone. */
static void name_set(struct stragglers *s, struct straggler *g)
{
	struct rivals rivals;

	g->kind = g->members > 1 ? STRAGGLER_SET : STRAGGLER_RANK;
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].kind == g->kind && s->all[i].number == g->number)
			return;
	}
	/* That it is no chance is known: how often all of it is the slowest is told. */
	rivals_make(s, NULL, &rivals);
	straggler_is_chance(s, g, &rivals, 1);
	rivals_free(&rivals);
	stragglers_add(s, g);
}

void suspects_try_sets(struct stragglers *s)
{
	struct sets x = {.order = sort_by_delay(s)};
	struct straggler g;

	x.most = count_late(s, x.order);
	x.out = mem_zalloc(s->job->member_count, sizeof(*x.out));
	find_ends(s, &x);
	if (find_smallest(s, x.order, x.ends, x.end_count, &g) && keep_slow(s, &g))
		name_set(s, &g);
	free(x.out);
	free(x.order);
}

bool suspects_latest_set(struct stragglers *s, struct straggler *ret)
{
	uint32_t *order = sort_by_delay(s);
	const size_t most = count_late(s, order);
	size_t ends[SET_MAX], count = 0;
	bool found;

	for (size_t m = 2; m <= most; m++)
		ends[count++] = m;
	found = find_smallest(s, order, ends, count, ret);
	free(order);
	return found;
}
