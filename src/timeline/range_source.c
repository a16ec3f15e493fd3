/* What does an NVTX range look like on a timeline? */
#include "timeline/range_source.h"

#include "base/mem.h"

#include <stdlib.h>

static uint32_t name_of(const struct range_source *s, uint32_t i)
{
	return s->name_of_row ? s->name_of_row[s->forest.ranges[i].row] : NAME_NONE;
}

struct str range_source_name(const struct range_source *s, const struct trace *t, uint32_t i)
{
	const uint32_t name = name_of(s, i);

	return name == NAME_NONE ? STR_LIT("") : trace_name(t, name);
}

uint8_t range_source_class(const struct range_source *s, uint32_t i)
{
	const uint32_t name = name_of(s, i);

	return name == NAME_NONE ? 0 : s->classes[s->folded.of_name[name]];
}

static void read_ranges(const struct lane_source *self, const uint32_t *ids, size_t count,
			struct lane_event *ret)
{
	const struct range_source *s = (const struct range_source *)self;

	for (size_t i = 0; i < count; i++) {
		const struct range *r = &s->forest.ranges[ids[i]];
		const int64_t end_ns = r->end_ns < r->start_ns ? r->start_ns : r->end_ns;

		ret[i] = (struct lane_event){r->start_ns, end_ns, ids[i],
					     range_source_class(s, ids[i])};
	}
}

static void fold_names_of(struct range_source *s, struct trace *t)
{
	trace_fold_names(t, &s->folded);
	s->classes = mem_alloc(s->folded.names.count, sizeof(*s->classes));
	for (size_t i = 0; i < s->folded.names.count; i++)
		s->classes[i] = lane_name_class(s->folded.names.items[i]);
}

int range_source_begin(struct range_source *s, struct trace *t, enum forest_kind kind,
		       struct err *e)
{
	*s = (struct range_source){.base = {.read = read_ranges, .nests = true}};
	if (!t->events[TRACE_NVTX].table)
		return 0;
	/* Whoever is done with names must leave them. */
	t->keeps_columns[TRACE_NVTX] |= COL_BIT(COL_NAME);
	if (range_forest_build(t, kind, &s->forest, e) < 0)
		return e->absent ? 0 : -1;
	/* A forest that somebody has kept comes without them. */
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	s->name_of_row = t->events[TRACE_NVTX].name;
	if (s->forest.count)
		fold_names_of(s, t);
	return 0;
}

size_t range_source_thread_end(const struct range_source *s, size_t begin)
{
	const struct range_forest *f = &s->forest;
	size_t end = begin;

	while (end < f->count && f->ranges[end].thread == f->ranges[begin].thread)
		end++;
	return end;
}

void range_source_free(struct range_source *s)
{
	range_forest_free(&s->forest);
	folded_names_free(&s->folded);
	free(s->classes);
	*s = (struct range_source){0};
}
