/* Which ranks are late together, so that no one of them holds the job up alone? */
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/job/straggler_search.h"

#include <stdlib.h>

/*
 * Any ranks may be late. Those with the longest delays are tried, one, two, …, and once they are no
 * chance, what is left without them: a rank that is late now and then is seen beside one that
 * always is.
 */
struct sets {
	uint32_t *order; /* members, that with the longest delays first */
	bool *out;	 /* by member: of those that are no chance */
	size_t most;	 /* of these are looked at */
	size_t ends[NAMED];
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
 * half of the luck, those of three a quarter, and so on: all sizes together spend it once. One rank
 * has its own, with which ranks are tried alone. What was found to be no chance has spent none.
 */
static double ways_of(size_t left, size_t m)
{
	return choices_of(left, m) * (m > 1 ? ldexp(1, (int)m - 1) : 1);
}

/* How many of those that follow are no chance together; 0: none are. */
static size_t next_set(struct stragglers *s, const struct sets *x, size_t begin)
{
	for (size_t m = 1; begin + m <= x->most; m++) {
		struct straggler g;

		make_set(s, &x->order[begin], m, &g);
		if (!straggler_is_chance(s, &g, x->out, ways_of(s->job->member_count - begin, m)))
			return m;
	}
	return 0;
}

static void find_ends(struct stragglers *s, struct sets *x)
{
	size_t end = 0, more;

	while ((more = next_set(s, x, end))) {
		for (size_t i = end; i < end + more; i++)
			x->out[x->order[i]] = true;
		x->ends[x->end_count++] = end += more;
	}
}

/* The smallest one beyond which no more is saved that is worth it. */
static void name_smallest(struct stragglers *s, const struct sets *x)
{
	struct straggler sets[NAMED];
	double most_ns = 0;

	for (size_t i = 0; i < x->end_count; i++) {
		make_set(s, x->order, x->ends[i], &sets[i]);
		straggler_is_chance(s, &sets[i], NULL, 1);
		straggler_replay(s, &sets[i]);
		most_ns = fmax(most_ns, sets[i].saved_ns);
	}
	for (size_t i = 0; i < x->end_count; i++) {
		if (is_worth(s, most_ns - sets[i].saved_ns))
			continue;
		if (sets[i].members > 1 && is_worth(s, sets[i].saved_ns))
			stragglers_add(s, &sets[i]);
		return;
	}
}

/* As many as are late enough to be told, but half of all at most: then nobody can tell who is. */
static size_t count_late(const struct stragglers *s, const uint32_t *order)
{
	const size_t half = s->job->member_count / 2, most = half < NAMED ? half : NAMED;
	size_t count = 0;

	while (count < most && is_worth(s, delays_of(s, order[count]) / (double)s->steps))
		count++;
	return count;
}

void suspects_try_sets(struct stragglers *s)
{
	struct sets x = {.order = sort_by_delay(s)};

	x.most = count_late(s, x.order);
	x.out = mem_zalloc(s->job->member_count, sizeof(*x.out));
	find_ends(s, &x);
	name_smallest(s, &x);
	free(x.out);
	free(x.order);
}

void suspects_latest_set(struct stragglers *s, struct straggler *ret)
{
	uint32_t *order = sort_by_delay(s);
	const size_t most = count_late(s, order);

	*ret = (struct straggler){0};
	for (size_t m = 2; m <= most; m++) {
		struct straggler g;

		make_set(s, order, m, &g);
		straggler_replay(s, &g);
		if (is_worth(s, g.saved_ns - ret->saved_ns))
			*ret = g;
	}
	free(order);
}
