/* What was derived, as events of a lane. */
#include "timeline/span_source.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define LENGTH_FAR UINT32_MAX /* the end is in far_ends */

static int64_t end_of(const struct span_source *s, size_t i)
{
	return s->length[i] == LENGTH_FAR ? overflow_values_get(&s->far_ends, i)
					  : s->start_ns[i] + s->length[i];
}

static void read_spans(const struct lane_source *self, const uint32_t *ids, size_t count,
		       struct lane_event *ret)
{
	const struct span_source *s = (const struct span_source *)self;

	for (size_t i = 0; i < count; i++)
		ret[i] = (struct lane_event){s->start_ns[ids[i]], end_of(s, ids[i]), ids[i],
					     s->class[ids[i]]};
}

void span_source_begin(struct span_source *s)
{
	*s = (struct span_source){.base = {.read = read_spans}};
}

void span_source_reserve(struct span_source *s, size_t count)
{
	if (count <= s->cap)
		return;
	s->start_ns = mem_resize(s->start_ns, count, sizeof(*s->start_ns));
	s->length = mem_resize(s->length, count, sizeof(*s->length));
	s->class = mem_resize(s->class, count, sizeof(*s->class));
	if (s->of)
		s->of = mem_resize(s->of, count, sizeof(*s->of));
	s->cap = count;
}

static void put_end(struct span_source *s, size_t i, int64_t end_ns)
{
	const uint64_t length = (uint64_t)end_ns - (uint64_t)s->start_ns[i];

	s->length[i] = length < LENGTH_FAR ? (uint32_t)length : LENGTH_FAR;
	if (length >= LENGTH_FAR)
		overflow_values_put(&s->far_ends, i, end_ns);
}

/* Those before the first that stands for something have 0. */
static void put_of(struct span_source *s, size_t i, uint32_t of)
{
	if (!s->of && of) {
		s->of = mem_alloc(s->cap, sizeof(*s->of));
		memset(s->of, 0, i * sizeof(*s->of));
	}
	if (s->of)
		s->of[i] = of;
}

void span_source_add(struct span_source *s, struct derived_span span)
{
	const size_t i = s->count;

	if (i == s->cap)
		span_source_reserve(s, mem_next_cap(s->cap, i + 1));
	s->start_ns[i] = span.start_ns;
	s->class[i] = span.class;
	put_end(s, i, span.end_ns);
	put_of(s, i, span.of);
	s->count++;
}

void span_source_extend(struct span_source *s, int64_t end_ns)
{
	put_end(s, s->count - 1, end_ns);
}

struct derived_span span_source_at(const struct span_source *s, size_t i)
{
	return (struct derived_span){s->start_ns[i], end_of(s, i), s->of ? s->of[i] : 0,
				     s->class[i]};
}

void span_source_free(struct span_source *s)
{
	free(s->start_ns);
	free(s->length);
	free(s->class);
	free(s->of);
	overflow_values_free(&s->far_ends);
	free(s->lane_of);
	*s = (struct span_source){0};
}
