/* Where is nothing in a lane for the longest time? */
#include "timeline/lane_gaps.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Events of which the longest gap before one is known. */
struct part {
	size_t begin, end; /* all gaps before these lie in the window */
	size_t at;	   /* the event after the longest; end: there is none */
	int64_t ns;
};

static struct part look_at(const struct lane *l, size_t begin, size_t end)
{
	struct part p = {begin, end, begin < end ? lane_longest_gap(l, begin, end) : end, 0};

	if (p.at < end)
		p.ns = lane_gap(l, p.at);
	return p;
}

static void add(struct lane_gap *ret, size_t *count, struct lane_gap gap)
{
	if (gap.span.end_ns > gap.span.start_ns)
		ret[(*count)++] = gap;
}

static int by_length(const void *a, const void *b)
{
	const struct lane_gap *x = a, *y = b;
	const int64_t m = sat_sub(x->span.end_ns, x->span.start_ns);
	const int64_t n = sat_sub(y->span.end_ns, y->span.start_ns);

	if (m != n)
		return m < n ? 1 : -1;
	return (x->span.start_ns > y->span.start_ns) - (x->span.start_ns < y->span.start_ns);
}

/* By their longest gaps; of equal ones the first. */
static bool is_before(const struct part *a, const struct part *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->at < b->at;
}

/* The part with the longest gap is cut there into two, again and again. */
static void find_inside(const struct lane *l, struct part all, struct lane_gap *ret, size_t *count,
			size_t most)
{
	struct part *parts = mem_alloc(most + 2, sizeof(*parts));
	size_t part_count = 1;

	parts[0] = all;
	for (size_t found = 0; found < most; found++) {
		struct part *longest = &parts[0], p;
		int64_t end_ns;

		for (size_t i = 1; i < part_count; i++)
			longest = is_before(&parts[i], longest) ? &parts[i] : longest;
		p = *longest;
		if (p.ns <= 0)
			break;
		end_ns = lane_event(l, p.at).start_ns;
		add(ret, count, (struct lane_gap){p.at, {sat_sub(end_ns, p.ns), end_ns}});
		*longest = look_at(l, p.begin, p.at);
		parts[part_count++] = look_at(l, p.at + 1, p.end);
	}
	free(parts);
}

size_t lane_gaps_find(const struct lane *l, struct span w, struct lane_gap *ret, size_t most)
{
	const size_t first = lane_from(l, w.start_ns), end = lane_begun(l, w.end_ns);
	struct lane_gap *found = mem_alloc(most + 2, sizeof(*found));
	size_t count = 0;

	if (first >= end) {
		/* All of it lies between two events, or nothing of it does. */
		if (first && first < l->count)
			add(found, &count, (struct lane_gap){first, w});
	} else {
		/* Those at the edges are cut; a lane has no gap before its first event. */
		if (first)
			add(found, &count,
			    (struct lane_gap){first, {w.start_ns, lane_event(l, first).start_ns}});
		find_inside(l, look_at(l, first + 1, end), found, &count, most);
		if (end < l->count)
			add(found, &count,
			    (struct lane_gap){end, {lane_event(l, end - 1).end_ns, w.end_ns}});
	}
	qsort(found, count, sizeof(*found), by_length);
	count = count < most ? count : most;
	memcpy(ret, found, count * sizeof(*ret));
	free(found);
	return count;
}

struct span lane_gap_around(const struct lane *l, struct span gap)
{
	const size_t after = lane_begun(l, gap.end_ns);

	if (after)
		span_widen(&gap, (struct span){lane_event(l, after - 1).start_ns, gap.end_ns});
	if (after < l->count)
		span_widen(&gap, (struct span){gap.start_ns, lane_event(l, after).end_ns});
	return gap;
}
