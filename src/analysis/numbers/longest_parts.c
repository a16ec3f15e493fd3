/* Which are the longest of many parts of gaps, calls or ops? */
#include "analysis/numbers/longest_parts.h"

#include "base/mem.h"

#include <stdlib.h>

enum { KEPT = 2 * PARTS_LISTED }; /* so that they are ranked once for as many as are listed */

static int compare_lengths(const void *a, const void *b)
{
	const struct span s = ((const struct time_part *)a)->time;
	const struct span t = ((const struct time_part *)b)->time;

	if (span_ns(s) != span_ns(t))
		return span_ns(s) > span_ns(t) ? -1 : 1;
	return (s.start_ns > t.start_ns) - (s.start_ns < t.start_ns);
}

static int compare_starts(const void *a, const void *b)
{
	const struct time_part *s = a, *t = b;

	return (s->time.start_ns > t->time.start_ns) - (s->time.start_ns < t->time.start_ns);
}

static void rank(struct longest_parts *s)
{
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), compare_lengths);
	s->count = s->count < PARTS_LISTED ? s->count : PARTS_LISTED;
}

void longest_parts_keep(struct longest_parts *s, struct time_part one)
{
	/* After a ranking the last that stayed lies where it was put. */
	if (s->least_ns && compare_lengths(&one, &s->all[PARTS_LISTED - 1]) > 0)
		return;
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = one;
	if (s->count == KEPT) {
		rank(s);
		s->least_ns = span_ns(s->all[PARTS_LISTED - 1].time);
	}
}

void longest_parts_add_all(struct longest_parts *to, const struct longest_parts *from)
{
	for (size_t i = 0; i < from->count; i++)
		longest_parts_add(to, from->all[i]);
	to->total += from->total - from->count;
}

static bool is_same(struct span a, struct span b)
{
	return a.start_ns == b.start_ns && a.end_ns == b.end_ns;
}

/* Of parts in order of time. */
static struct time_part find_longest(const struct time_part *all, size_t count)
{
	struct time_part longest = {0}, now = {0};

	for (size_t i = 0; i < count; i++) {
		if (i && is_same(now.of, all[i].of) && all[i].time.start_ns <= now.time.end_ns)
			span_widen(&now.time, all[i].time);
		else
			now = all[i];
		if (!i || compare_lengths(&now, &longest) < 0)
			longest = now;
	}
	return longest;
}

static void join(struct part_list *l, struct span time)
{
	if (!l->count || time.start_ns > l->all[l->count - 1].end_ns) {
		l->all[l->count++] = time;
		return;
	}
	span_widen(&l->all[l->count - 1], time);
	l->total--;
}

struct part_list longest_parts_list(const struct longest_parts *s)
{
	struct part_list l = {.total = s->total};
	struct longest_parts longest = {0};

	longest_parts_add_all(&longest, s);
	rank(&longest);
	if (longest.count)
		qsort(longest.all, longest.count, sizeof(*longest.all), compare_starts);
	for (size_t i = 0; i < longest.count; i++)
		join(&l, longest.all[i].time);
	l.longest = find_longest(longest.all, longest.count);
	longest_parts_free(&longest);
	return l;
}

void longest_parts_free(struct longest_parts *s)
{
	free(s->all);
	*s = (struct longest_parts){0};
}
