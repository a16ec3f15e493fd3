/* What was derived, as events of a lane. */
#include "timeline/span_source.h"

#include "base/mem.h"

#include <stdlib.h>

static void read_spans(const struct lane_source *self, const uint32_t *ids, size_t count,
		       struct lane_event *ret)
{
	const struct span_source *s = (const struct span_source *)self;

	for (size_t i = 0; i < count; i++) {
		const struct derived_span *d = &s->all[ids[i]];

		ret[i] = (struct lane_event){d->start_ns, d->end_ns, ids[i], d->class};
	}
}

void span_source_begin(struct span_source *s)
{
	*s = (struct span_source){.base = {read_spans}};
}

void span_source_add(struct span_source *s, struct derived_span span)
{
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = span;
}

void span_source_free(struct span_source *s)
{
	free(s->all);
	free(s->lane_of);
	*s = (struct span_source){0};
}
