/* Which gaps are the longest? */
#include "analysis/gpu/longest_gaps.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Of equal ones the earliest comes first, and then that of the first device. */
static int compare(const void *a, const void *b, void *ctx)
{
	const struct gap *x = a, *y = b;

	(void)ctx;
	if (gap_ns(x) != gap_ns(y))
		return gap_ns(x) > gap_ns(y) ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->device > y->device) - (x->device < y->device);
}

void longest_gaps_sort(struct longest_gaps *l)
{
	sort_stable(l->gaps, l->count, sizeof(*l->gaps), compare, NULL);
	if (l->limit && l->count > l->limit)
		l->count = l->limit;
}

/* As many as are wanted are at least that long. */
static void raise_floor(gap_floor *floor, int64_t ns)
{
	int64_t known = atomic_load_explicit(floor, memory_order_relaxed);

	while (known < ns && !atomic_compare_exchange_weak_explicit(
				     floor, &known, ns, memory_order_relaxed, memory_order_relaxed))
		;
}

static bool is_too_short(const struct longest_gaps *l, const struct gap *gap)
{
	return l->limit && gap_ns(gap) < atomic_load_explicit(l->floor, memory_order_relaxed);
}

/* Twice as many as are wanted are collected before the shorter half is forgotten. */
void longest_gaps_add(struct longest_gaps *l, const struct gap *gap)
{
	if (is_too_short(l, gap) || (l->has_least && compare(gap, &l->least, NULL) > 0))
		return;
	MEM_GROW(l->gaps, l->cap, l->count + 1);
	l->gaps[l->count++] = *gap;
	if (!l->limit || l->count / 2 < l->limit)
		return;
	longest_gaps_sort(l);
	l->least = l->gaps[l->count - 1];
	l->has_least = true;
	raise_floor(l->floor, gap_ns(&l->least));
}

void longest_gaps_add_all(struct longest_gaps *l, const struct longest_gaps *more)
{
	for (size_t i = 0; i < more->count; i++)
		longest_gaps_add(l, &more->gaps[i]);
}

void longest_gaps_free(struct longest_gaps *l)
{
	free(l->gaps);
	*l = (struct longest_gaps){0};
}
