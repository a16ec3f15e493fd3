/* Which call is behind an event, and which ranges are around it? */
#include "analysis/events/event_joins.h"

#include "analysis/analysis.h"
#include "base/mem.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

struct pick {
	uint32_t thread; /* whose ranges are around it */
	int64_t at_ns;	 /* when its call began */
	uint32_t path;
};

struct event_picks {
	struct idmap index; /* kind << 32 | row → pick */
	struct pick *picks;
};

struct picking {
	struct trace *trace;
	const struct event_ref *events;
	size_t count;
	const struct picked_calls *known_calls; /* of one kind, or NULL */
	struct event_joins *out;
	struct event_picks *picks;
	struct idmap known;   /* paths: parent << 32 | name */
	struct idmap path_of; /* of the ranges that were met */
	uint32_t *chain;      /* of ranges that get their paths, innermost first */
	size_t chain_cap;
};

static const struct pick *find_pick(const struct event_picks *p, enum trace_kind kind, uint32_t row)
{
	uint32_t i = idmap_get(&p->index, (uint64_t)kind << 32 | row);

	return i == IDMAP_NONE ? NULL : &p->picks[i];
}

static void event_picks_free(struct event_picks *p)
{
	if (!p)
		return;
	idmap_free(&p->index);
	free(p->picks);
	free(p);
}

/* A thread that has no ranges is not known by number until the calls' own column is read. */
static int thread_of_call(struct trace *t, const struct picked_call *call, uint32_t *ret,
			  struct err *e)
{
	const struct events *api = &t->events[TRACE_API];

	*ret = call->thread;
	if (*ret != ID_NONE)
		return 0;
	if (trace_load(t, TRACE_API, COL_BIT(COL_THREAD), e) < 0)
		return -1;
	*ret = api->thread ? api->thread[call->row] : ID_NONE;
	return 0;
}

static int take_calls(struct picking *x, enum trace_kind kind, const struct picked_calls *calls,
		      struct err *e)
{
	struct launch_cursor cursor = {0};

	for (size_t i = 0; i < x->count; i++) {
		struct pick *pick = &x->picks->picks[i];
		struct picked_call call;

		if (x->events[i].kind != kind ||
		    !picked_call_of(calls, x->events[i].row, &cursor, &call))
			continue;
		if (thread_of_call(x->trace, &call, &pick->thread, e) < 0)
			return -1;
		pick->at_ns = call.start_ns;
	}
	return 0;
}

static int find_launches(struct picking *x, enum trace_kind kind, struct err *e)
{
	uint32_t *rows = mem_alloc(x->count, sizeof(*rows));
	struct picked_calls calls = {0};
	size_t count = 0;
	int result = 0;

	for (size_t i = 0; i < x->count; i++) {
		if (x->events[i].kind == kind)
			rows[count++] = x->events[i].row;
	}
	if (count) {
		result = picked_calls_find(x->trace, kind, rows, count, &calls, e);
		/* See join_ops(): that ops cannot be told apart is no reason not to list them. */
		if (result < 0 && e->absent) {
			*e = (struct err){0};
			result = 0;
		} else if (result == 0) {
			result = take_calls(x, kind, &calls, e);
		}
		picked_calls_free(&calls);
	}
	free(rows);
	return result;
}

static int pick_launches(struct picking *x, enum trace_kind kind, struct err *e)
{
	if (x->known_calls && x->known_calls->kind == kind)
		return take_calls(x, kind, x->known_calls, e);
	return find_launches(x, kind, e);
}

/* Calls and ranges are on a thread of their own. */
static int pick_threads(struct picking *x, struct err *e)
{
	struct trace *t = x->trace;

	for (size_t i = 0; i < x->count; i++) {
		const struct event_ref *at = &x->events[i];
		const struct events *ev = &t->events[at->kind];
		struct pick *pick = &x->picks->picks[i];

		*pick = (struct pick){ID_NONE, 0, RANGE_NONE};
		idmap_add(&x->picks->index, (uint64_t)at->kind << 32 | at->row, (uint32_t)i);
		if (at->kind < TRACE_GPU_KINDS)
			continue;
		if (trace_load(t, at->kind, COL_BIT(COL_THREAD) | COL_BIT(COL_START), e) < 0)
			return -1;
		pick->thread = ev->thread ? ev->thread[at->row] : ID_NONE;
		pick->at_ns = ev->start_ns ? ev->start_ns[at->row] : 0;
	}
	return 0;
}

static uint32_t add_path(struct picking *x, uint32_t parent, uint32_t name)
{
	struct range_paths *paths = &x->out->paths;
	uint32_t path = idmap_number_pair(&x->known, parent, name);

	if (path == paths->count)
		range_paths_add(paths, parent, name);
	return path;
}

/*
 * Outermost first, so that every path's parent has a number. Only up to a range whose path is
 * known: thousands of events may lie under the same thousands of ranges.
 */
static uint32_t path_of_range(struct picking *x, uint32_t range)
{
	const struct range *ranges = x->out->forest.ranges;
	uint32_t path = IDMAP_NONE;
	size_t depth = 0;

	_Static_assert(IDMAP_NONE == RANGE_NONE, "what has no path yet has none");
	for (uint32_t at = range; at != RANGE_NONE; at = ranges[at].parent) {
		path = idmap_get(&x->path_of, at);
		if (path != IDMAP_NONE)
			break;
		MEM_GROW(x->chain, x->chain_cap, depth + 1);
		x->chain[depth++] = at;
	}
	while (depth) {
		uint32_t at = x->chain[--depth];

		path = add_path(x, path, x->out->names.of_row[ranges[at].row]);
		idmap_add(&x->path_of, at, path);
	}
	return path;
}

/* A range's path is its own: of those that begin with it it need not be the innermost. */
static uint32_t range_of(const struct picking *x, const struct innermost *in, size_t i)
{
	const struct pick *pick = &x->picks->picks[i];
	const struct event_ref *at = &x->events[i];

	if (event_joins_is_push_pop(x->out, at->kind, at->row))
		return x->out->range_of_row[at->row];
	if (pick->thread == ID_NONE || !x->out->forest.count)
		return RANGE_NONE;
	return innermost_find(in, pick->thread, pick->at_ns);
}

static bool has_ranges(const struct picking *x)
{
	for (size_t i = 0; i < x->count; i++) {
		if (x->events[i].kind == TRACE_NVTX)
			return true;
	}
	return false;
}

static int pick_ranges(struct picking *x, struct err *e)
{
	struct innermost in;

	if (range_forest_build(x->trace, FOREST_PUSH_POP, &x->out->forest, e) < 0 ||
	    range_names_read(x->trace, &x->out->names, e) < 0)
		return -1;
	if (has_ranges(x))
		x->out->range_of_row =
			range_forest_rows(&x->out->forest, x->trace->events[TRACE_NVTX].count);
	innermost_make(&x->out->forest, x->trace->thread_keys.count, &in);
	for (size_t i = 0; i < x->count; i++) {
		uint32_t range = range_of(x, &in, i);

		if (range != RANGE_NONE)
			x->picks->picks[i].path = path_of_range(x, range);
	}
	innermost_free(&in);
	return 0;
}

int event_joins_make_few(struct event_joins *j, struct trace *t, const struct event_ref *events,
			 size_t count, const struct picked_calls *known, struct err *e)
{
	struct picking x = {
		.trace = t, .events = events, .count = count, .known_calls = known, .out = j};
	int result;

	*j = (struct event_joins){.trace = t, .picks = mem_zalloc(1, sizeof(*j->picks))};
	x.picks = j->picks;
	x.picks->picks = mem_alloc(count, sizeof(*x.picks->picks));
	/* Threads of ranges have their numbers before calls are looked for. */
	result = trace_load(t, TRACE_NVTX, COL_BIT(COL_THREAD), e);
	if (result == 0)
		result = pick_threads(&x, e);
	for (int kind = 0; kind < TRACE_GPU_KINDS && result == 0; kind++)
		result = pick_launches(&x, (enum trace_kind)kind, e);
	if (result == 0 && t->events[TRACE_NVTX].table)
		result = pick_ranges(&x, e);
	idmap_free(&x.known);
	idmap_free(&x.path_of);
	free(x.chain);
	return result;
}

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
	const struct pick *pick = j->picks ? find_pick(j->picks, kind, row) : NULL;
	struct api_call call;

	if (j->picks)
		return pick ? pick->thread : ID_NONE;
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
	const struct pick *pick = j->picks ? find_pick(j->picks, kind, row) : NULL;
	uint32_t range;

	if (j->picks)
		return pick ? pick->path : RANGE_NONE;
	range = j->has_ranges ? range_around(j, kind, row) : RANGE_NONE;
	return range == RANGE_NONE ? RANGE_NONE : j->paths.of_range[range];
}
