/* What do the ranges around a moment say? */
#include "analysis/ranks/markers.h"

#include "base/mem.h"

#include <stdlib.h>

enum { NOT_ASKED = UINT32_MAX - 1 };

struct labelling {
	struct markers *markers;
	const struct preset_rules *rules;
};

/* Whether the preset knows the name; it is asked once. */
static int has_label(void *ctx, uint32_t name, struct err *e)
{
	const struct labelling *x = ctx;
	struct markers *m = x->markers;
	uint32_t *label = &m->label_of_name[name];
	struct str text;
	bool found;

	if (*label == NOT_ASKED) {
		if (preset_label(x->rules, trace_name(m->trace, name), &found, &text, e) < 0)
			return -1;
		*label = found ? strtab_add(&m->labels, text) : LABEL_NONE;
	}
	return *label != LABEL_NONE;
}

int markers_make(struct trace *t, const struct preset_rules *rules, int64_t from_ns, int64_t to_ns,
		 struct markers *ret, struct err *e)
{
	struct labelling x = {ret, rules};
	const struct range_choice choice = {from_ns, to_ns, has_label, &x};

	*ret = (struct markers){.trace = t};
	if (trace_load(t, TRACE_NVTX, COL_BIT(COL_NAME), e) < 0)
		return -1;
	ret->label_of_name = mem_alloc(t->names.count, sizeof(*ret->label_of_name));
	for (size_t i = 0; i < t->names.count; i++)
		ret->label_of_name[i] = NOT_ASKED;
	return picked_ranges_find(t, &choice, &ret->ranges, e);
}

void markers_free(struct markers *m)
{
	picked_ranges_free(&m->ranges);
	strtab_free(&m->labels);
	free(m->label_of_name);
	*m = (struct markers){0};
}

uint32_t markers_find(const struct markers *m, uint32_t thread, int64_t at_ns)
{
	uint32_t range = picked_ranges_at(&m->ranges, thread, at_ns);

	if (range == RANGE_NONE)
		return LABEL_NONE;
	return m->label_of_name[m->trace->events[TRACE_NVTX]
					.name[m->ranges.forest.ranges[range].row]];
}
