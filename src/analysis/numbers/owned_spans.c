/* When does something of each owner go on? */
#include "analysis/numbers/owned_spans.h"

#include "base/bisect.h"
#include "base/mem.h"

#include <stdlib.h>

void owned_spans_add(struct owned_spans *s, uint64_t owner, struct span time)
{
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = (struct owned_span){owner, time};
}

static int compare(const void *a, const void *b)
{
	const struct owned_span *x = a, *y = b;

	if (x->owner != y->owner)
		return x->owner < y->owner ? -1 : 1;
	return (x->time.start_ns > y->time.start_ns) - (x->time.start_ns < y->time.start_ns);
}

void owned_spans_join(struct owned_spans *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), compare);
	for (size_t i = 0; i < s->count; i++) {
		struct owned_span *last = kept ? &s->all[kept - 1] : NULL;

		if (last && last->owner == s->all[i].owner &&
		    s->all[i].time.start_ns <= last->time.end_ns)
			span_widen(&last->time, s->all[i].time);
		else
			s->all[kept++] = s->all[i];
	}
	s->count = kept;
}

bool owned_spans_overlap(const struct owned_spans *s, uint64_t owner, struct span time)
{
	/* The first that ends after it begins. */
	const size_t i =
		BISECT(0, s->count, at,
		       s->all[at].owner < owner || (s->all[at].owner == owner &&
						    s->all[at].time.end_ns <= time.start_ns));
	const struct owned_span *x = i < s->count ? &s->all[i] : NULL;

	if (!x || x->owner != owner)
		return false;
	return time.start_ns == time.end_ns ? x->time.start_ns <= time.start_ns
					    : span_overlap(x->time, time) > 0;
}

void owned_spans_free(struct owned_spans *s)
{
	free(s->all);
	*s = (struct owned_spans){0};
}
