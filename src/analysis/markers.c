/* What do the ranges around a moment say? */
#include "analysis/markers.h"

#include "base/mem.h"

#include <stdlib.h>

enum { NOT_ASKED = UINT32_MAX - 1 };

static int label_name(struct markers *m, const struct preset_rules *rules, uint32_t name,
		      uint32_t *ret, struct err *e)
{
	bool found;
	struct str label;

	*ret = m->label_of_name[name];
	if (*ret != NOT_ASKED)
		return 0;
	if (preset_label(rules, trace_name(m->trace, name), &found, &label, e) < 0)
		return -1;
	*ret = m->label_of_name[name] = found ? strtab_add(&m->labels, label) : LABEL_NONE;
	return 0;
}

/* Unknown names are left out, so that the innermost of the forest is the innermost known one. */
static int collect(struct markers *m, const struct preset_rules *rules, int64_t from_ns,
		   int64_t to_ns, struct err *e)
{
	const struct events *ev = &m->trace->events[TRACE_NVTX];
	size_t cap = 0;

	for (uint64_t i = 0; i < ev->count; i++) {
		struct range r = {.start_ns = ev->start_ns[i], .row = (uint32_t)i};
		uint32_t label;

		r.end_ns = sat_add(r.start_ns, ev->duration_ns[i]);
		r.thread = ev->thread[i];
		if (!nvtx_is_push_pop(ev->event_type[i]) || ev->name[i] == NAME_NONE ||
		    r.thread == ID_NONE || r.start_ns > to_ns || r.end_ns < from_ns)
			continue;
		if (label_name(m, rules, ev->name[i], &label, e) < 0)
			return -1;
		if (label == LABEL_NONE)
			continue;
		MEM_GROW(m->forest.ranges, cap, m->forest.count + 1);
		m->forest.ranges[m->forest.count++] = r;
	}
	return 0;
}

int markers_make(struct trace *t, const struct preset_rules *rules, int64_t from_ns, int64_t to_ns,
		 struct markers *ret, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_THREAD) |
				 COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);
	const struct events *ev = &t->events[TRACE_NVTX];

	*ret = (struct markers){.trace = t};
	if (trace_load(t, TRACE_NVTX, columns, e) < 0)
		return -1;
	ranges_close_open(t);
	ret->label_of_name = mem_alloc(t->names.count, sizeof(*ret->label_of_name));
	for (size_t i = 0; i < t->names.count; i++)
		ret->label_of_name[i] = NOT_ASKED;
	if (ev->start_ns && ev->duration_ns && ev->thread && ev->name && ev->event_type &&
	    collect(ret, rules, from_ns, to_ns, e) < 0)
		return -1;
	range_forest_sort(&ret->forest);
	innermost_make(&ret->forest, t->thread_keys.count, &ret->innermost);
	return 0;
}

void markers_free(struct markers *m)
{
	innermost_free(&m->innermost);
	range_forest_free(&m->forest);
	strtab_free(&m->labels);
	free(m->label_of_name);
	*m = (struct markers){0};
}

uint32_t markers_find(const struct markers *m, uint32_t thread, int64_t at_ns)
{
	uint32_t range =
		thread == ID_NONE ? RANGE_NONE : innermost_find(&m->innermost, thread, at_ns);

	return range == RANGE_NONE ? LABEL_NONE
				   : m->label_of_name[m->trace->events[TRACE_NVTX]
							      .name[m->forest.ranges[range].row]];
}
