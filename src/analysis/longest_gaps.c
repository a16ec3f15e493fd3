/* Which gaps are the longest? */
#include "analysis/longest_gaps.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static int compare(const void *a, const void *b, void *ctx)
{
	int64_t x = gap_ns(a), y = gap_ns(b);

	(void)ctx;
	return (x < y) - (x > y);
}

void longest_gaps_sort(struct longest_gaps *l)
{
	sort_stable(l->gaps, l->count, sizeof(*l->gaps), compare, NULL);
	if (l->limit && l->count > l->limit)
		l->count = l->limit;
}

/* Twice as many as are wanted are collected before the shorter half is forgotten. */
void longest_gaps_add(struct longest_gaps *l, const struct gap *gap)
{
	if (gap_ns(gap) < l->least_ns)
		return;
	MEM_GROW(l->gaps, l->cap, l->count + 1);
	l->gaps[l->count++] = *gap;
	if (!l->limit || l->count / 2 < l->limit)
		return;
	longest_gaps_sort(l);
	l->least_ns = gap_ns(&l->gaps[l->count - 1]) + 1;
}

void longest_gaps_free(struct longest_gaps *l)
{
	free(l->gaps);
	*l = (struct longest_gaps){0};
}
