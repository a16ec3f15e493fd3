/* Which call is behind an event, and which ranges are around it? */
#include "analysis/events/event_joins.h"

#include "analysis/analysis.h"
#include "analysis/events/event_picks.h"
#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

static uint32_t name_of_range(const void *ctx, const struct range *r)
{
	const struct event_joins *j = ctx;

	return j->names.of_row[r->row];
}

static const struct range_forest *forest_of(const struct event_joins *j)
{
	return j->at.forest.count ? &j->at.forest : &j->forest;
}

static int join_ops(struct event_joins *j, struct trace *t, unsigned kinds, unsigned what,
		    struct err *e)
{
	int result = what & JOIN_RANGES ? attribution_make(t, kinds, &j->at, e)
					: attribution_make_bare(t, kinds, &j->at, e);

	j->has_calls = result == 0;
	/* Ops that cannot be told apart have no calls; that is no reason not to list them. */
	if (result < 0 && e->absent) {
		j->why_not = mem_strdup(e->message);
		*e = (struct err){0};
		return 0;
	}
	return result;
}

static int join_ranges(struct event_joins *j, struct trace *t, unsigned kinds, struct err *e)
{
	if (!j->at.forest.count && range_forest_build(t, FOREST_PUSH_POP, &j->forest, e) < 0)
		return -1;
	j->has_ranges = true;
	range_paths_make(forest_of(j), name_of_range, j, &j->paths);
	if (kinds & (NEEDS(TRACE_API) | NEEDS(TRACE_NVTX)))
		innermost_make(forest_of(j), t->thread_keys.count, &j->innermost);
	if (kinds & NEEDS(TRACE_NVTX))
		j->range_of_row = range_forest_rows(forest_of(j), t->events[TRACE_NVTX].count);
	return 0;
}

int event_joins_make(struct event_joins *j, struct trace *t, unsigned kinds, unsigned what,
		     struct err *e)
{
	const unsigned ops = kinds & joinable_kinds(t);

	*j = (struct event_joins){.trace = t};
	if (!t->events[TRACE_NVTX].table)
		what &= ~(unsigned)JOIN_RANGES;
	if (what && ops && t->events[TRACE_API].table && join_ops(j, t, ops, what, e) < 0)
		return -1;
	if (t->events[TRACE_NVTX].table && (what & JOIN_RANGES || kinds & NEEDS(TRACE_NVTX)) &&
	    range_names_read(t, &j->names, e) < 0)
		return -1;
	return what & JOIN_RANGES ? join_ranges(j, t, kinds, e) : 0;
}

void event_joins_free(struct event_joins *j)
{
	innermost_free(&j->innermost);
	range_paths_free(&j->paths);
	range_names_free(&j->names);
	range_forest_free(&j->forest);
	if (j->has_calls)
		attribution_free(&j->at);
	free(j->range_of_row);
	event_picks_free(j->picks);
	free((char *)j->why_not);
	*j = (struct event_joins){0};
}

bool event_joins_call(const struct event_joins *j, enum trace_kind kind, uint32_t row,
		      struct api_call *ret)
{
	return j->has_calls && kind < TRACE_GPU_KINDS && attribution_call(&j->at, kind, row, ret);
}

uint32_t event_joins_thread(const struct event_joins *j, enum trace_kind kind, uint32_t row)
{
	struct api_call call;

	if (j->picks)
		return event_picks_thread(j->picks, kind, row);
	if (!event_joins_call(j, kind, row, &call))
		return ID_NONE;
	return launches_origin(&j->at.launches, &call).thread;
}

bool event_joins_is_push_pop(const struct event_joins *j, enum trace_kind kind, uint32_t row)
{
	return kind == TRACE_NVTX && j->range_of_row && j->range_of_row[row] != RANGE_NONE;
}

static uint32_t range_around(const struct event_joins *j, enum trace_kind kind, uint32_t row)
{
	const struct events *ev = &j->trace->events[kind];

	if (kind < TRACE_GPU_KINDS)
		return j->has_calls ? attribution_range(&j->at, kind, row) : RANGE_NONE;
	if (event_joins_is_push_pop(j, kind, row))
		return j->range_of_row[row];
	if (!ev->thread || !ev->start_ns || ev->thread[row] == ID_NONE || !forest_of(j)->count)
		return RANGE_NONE;
	return innermost_find(&j->innermost, ev->thread[row], ev->start_ns[row]);
}

uint32_t event_joins_path(const struct event_joins *j, enum trace_kind kind, uint32_t row)
{
	uint32_t range;

	if (j->picks)
		return event_picks_path(j->picks, kind, row);
	range = j->has_ranges ? range_around(j, kind, row) : RANGE_NONE;
	return range == RANGE_NONE ? RANGE_NONE : j->paths.of_range[range];
}
