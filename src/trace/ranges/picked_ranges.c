/* Which ranges have a name that means something? */
#include "trace/ranges/picked_ranges.h"

#include "base/mem.h"
#include "base/saturate.h"

static int collect(const struct trace *t, const struct range_choice *choice,
		   struct range_forest *ret, struct err *e)
{
	const struct events *ev = &t->events[TRACE_NVTX];
	size_t cap = 0;

	for (uint64_t i = 0; i < ev->count; i++) {
		struct range r = {.start_ns = ev->start_ns[i], .row = (uint32_t)i};
		int wanted;

		r.end_ns = sat_add(r.start_ns, ev->duration_ns[i]);
		r.thread = ev->thread[i];
		if (!nvtx_is_push_pop(ev->event_type[i]) || ev->name[i] == NAME_NONE ||
		    r.thread == ID_NONE || r.start_ns > choice->to_ns || r.end_ns < choice->from_ns)
			continue;
		wanted = choice->wants(choice->ctx, ev->name[i], e);
		if (wanted < 0)
			return -1;
		if (!wanted)
			continue;
		MEM_GROW(ret->ranges, cap, ret->count + 1);
		ret->ranges[ret->count++] = r;
	}
	return 0;
}

int picked_ranges_find(struct trace *t, const struct range_choice *choice,
		       struct picked_ranges *ret, struct err *e)
{
	const uint32_t columns =
		COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME) | COL_BIT(COL_EVENT_TYPE);
	const struct events *ev = &t->events[TRACE_NVTX];

	*ret = (struct picked_ranges){0};
	if (trace_load(t, TRACE_NVTX, columns, e) < 0)
		return -1;
	ranges_close_open(t);
	if (ev->start_ns && ev->duration_ns && ev->thread && ev->name && ev->event_type &&
	    collect(t, choice, &ret->forest, e) < 0) {
		picked_ranges_free(ret);
		return -1;
	}
	range_forest_sort(&ret->forest);
	innermost_make(&ret->forest, t->thread_keys.count, &ret->innermost);
	return 0;
}

void picked_ranges_free(struct picked_ranges *p)
{
	innermost_free(&p->innermost);
	range_forest_free(&p->forest);
	*p = (struct picked_ranges){0};
}
