/* Which range is on top of a thread's stack at what time? */
#include "trace/range_tops.h"

#include "base/mem.h"

#include <stdlib.h>

static void change(struct range_tops *t, int64_t start_ns, uint32_t range)
{
	/* A range that ends before it begins, in a damaged trace, does not turn time back. */
	if (t->count && t->tops[t->count - 1].start_ns >= start_ns) {
		t->tops[t->count - 1].range = range;
		return;
	}
	if (t->count && t->tops[t->count - 1].range == range)
		return;
	MEM_GROW(t->tops, t->cap, t->count + 1);
	t->tops[t->count++] = (struct range_top){start_ns, range};
}

/* The first range of the thread: ranges of a thread lie together. */
static size_t first_of(const struct range_forest *f, uint32_t thread)
{
	size_t low = 0, high = f->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->ranges[mid].thread < thread)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Closes the ranges on the stack that end by then. Overlaps that do not nest end with the outer. */
static uint32_t pop_until(const struct range_forest *f, struct range_tops *t, uint32_t top,
			  int64_t ns)
{
	while (top != RANGE_NONE && f->ranges[top].end_ns <= ns) {
		change(t, f->ranges[top].end_ns, f->ranges[top].parent);
		top = f->ranges[top].parent;
	}
	return top;
}

void range_tops_make(const struct range_forest *f, uint32_t thread, struct range_tops *ret)
{
	uint32_t top = RANGE_NONE;

	*ret = (struct range_tops){0};
	change(ret, INT64_MIN, RANGE_NONE);
	for (size_t i = first_of(f, thread); i < f->count && f->ranges[i].thread == thread; i++) {
		const struct range *r = &f->ranges[i];

		top = pop_until(f, ret, top, r->start_ns);
		/* A parent that is no longer open means ranges that overlap: the newer one wins. */
		change(ret, r->start_ns, (uint32_t)i);
		top = (uint32_t)i;
	}
	pop_until(f, ret, top, INT64_MAX);
}

void range_tops_free(struct range_tops *t)
{
	free(t->tops);
	*t = (struct range_tops){0};
}
