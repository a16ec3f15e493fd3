/* Which API call launched which GPU op, as analyses ask? */
#include "trace/calls/launch.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

/* Kinds that the export lacks join with ease, those without correlation ids not at all. */
unsigned joinable_kinds(const struct trace *t)
{
	unsigned kinds = 0;

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (!trace_lacks_column(t, (enum trace_kind)kind, COL_CORRELATION))
			kinds |= 1u << kind;
	}
	return kinds;
}

static int join_all(struct trace *t, const void *ctx, void *made, struct err *e)
{
	(void)ctx;
	if (launches_join_anew(t, joinable_kinds(t), true, made, e) < 0)
		return -1;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++)
		trace_unload(t, (enum trace_kind)kind, COL_BIT(COL_CORRELATION));
	return 0;
}

static void free_all(void *made)
{
	launches_free(made);
}

static const struct cached cached_launches = {sizeof(struct launches), join_all, free_all};

/* What cannot be joined as a whole may still be joined in part: then nothing is shared. */
static const struct launches *shared_launches(struct trace *t)
{
	const struct launches *l;
	struct err unsaid = {0};

	if (!t->uses_cache)
		return NULL;
	l = trace_cache_get(t, &cached_launches, NULL, &unsaid);
	if (!l)
		t->uses_cache = false;
	return l;
}

static void lend(const struct launches *l, const struct trace *t, unsigned kinds,
		 struct launches *ret)
{
	*ret = *l;
	ret->kinds = kinds;
	ret->shared = true;
	ret->op_count = 0;
	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		if (kinds & 1u << kind)
			ret->op_count = ret->begin[kind] + t->events[kind].count;
	}
}

bool launches_share(struct trace *t, unsigned kinds, struct launches *ret)
{
	const struct launches *l = kinds & ~joinable_kinds(t) ? NULL : shared_launches(t);

	if (l)
		lend(l, t, kinds, ret);
	return l;
}

bool launches_share_joined(struct trace *t, unsigned kinds, struct launches *ret)
{
	const struct launches *l =
		kinds & ~joinable_kinds(t) ? NULL : trace_cache_find(t, &cached_launches);

	if (l)
		lend(l, t, kinds, ret);
	return l;
}

bool launches_share_calls(struct trace *t, struct calls *ret)
{
	const struct launches *l = t->events[TRACE_API].table ? shared_launches(t) : NULL;

	if (!l || !l->has_all_calls)
		return false;
	*ret = l->calls;
	ret->shared = true;
	return true;
}

uint32_t launches_columns(struct trace *t)
{
	return trace_cache_find(t, &cached_launches)
		       ? 0
		       : COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION);
}

int launches_join(struct trace *t, enum trace_kind kind, struct launches *ret, struct err *e)
{
	return launches_join_kinds(t, 1u << kind, ret, e);
}

int launches_join_kinds(struct trace *t, unsigned kinds, struct launches *ret, struct err *e)
{
	return launches_share(t, kinds, ret) ? 0 : launches_join_anew(t, kinds, false, ret, e);
}

bool *launches_graph_origins(const struct launches *l, const struct trace *t)
{
	bool *launches_graph = mem_alloc(l->calls.origin_count, sizeof(*launches_graph));

	for (size_t i = 0; i < l->calls.origin_count; i++)
		launches_graph[i] = call_launches_graph(trace_name(t, l->calls.origins[i].name));
	return launches_graph;
}

bool launches_found_any(const struct launches *l)
{
	for (size_t i = 0; i < l->launch_count; i++) {
		if (l->row_of_launch[i] != ID_NONE)
			return true;
	}
	return false;
}

/* `more` is sorted by launch. */
size_t launches_first_more(const struct launches *l, uint32_t launch)
{
	return BISECT(0, l->more_count, at, l->more_launch[at] < launch);
}

void launches_forget_ops(struct launches *l)
{
	if (!l->shared)
		free(l->launch_of_op);
	l->launch_of_op = NULL;
}

/* A column of all calls, and what is to be kept of it. */
struct picking {
	const struct launches *launches;
	size_t width; /* of a value, in bytes */
	const void *from;
	void *to;
};

static void pick_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct picking *p = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		uint32_t row = p->launches->row_of_launch[i];

		if (row == ID_NONE)
			continue;
		if (p->width == sizeof(int64_t))
			((int64_t *)p->to)[i] = ((const int64_t *)p->from)[row];
		else if (p->width == sizeof(uint32_t))
			((uint32_t *)p->to)[i] = ((const uint32_t *)p->from)[row];
		else
			((uint16_t *)p->to)[i] = ((const uint16_t *)p->from)[row];
	}
}

static void *pick(const struct launches *l, void *column, size_t width)
{
	struct picking p = {l, width, column, mem_alloc(l->launch_count, width)};

	parallel_each(l->launch_count, PARALLEL_ROWS, pick_some, &p);
	free(column);
	return p.to;
}

/* Of all calls, keeps those of launches. */
static void keep_launching_calls(struct launches *l)
{
	struct calls *c = &l->calls;

	/* The largest comes last, when the others have made room. */
	c->length = pick(l, c->length, sizeof(*c->length));
	c->origin = pick(l, c->origin, sizeof(*c->origin));
	c->start_ns = pick(l, c->start_ns, sizeof(*c->start_ns));
	overflow_values_renumber(&c->wide, l->row_of_launch, l->launch_count);
	overflow_values_renumber(&c->far, l->row_of_launch, l->launch_count);
	c->count = l->launch_count;
	c->in_order = false;
	l->has_all_calls = false;
}

void launches_forget_shared_calls(struct trace *t)
{
	struct launches *l = trace_cache_find(t, &cached_launches);

	if (l && l->has_all_calls)
		keep_launching_calls(l);
}

void launches_drop_shared(struct trace *t)
{
	trace_cache_drop(t, &cached_launches);
}

void launches_free(struct launches *l)
{
	if (!l->shared) {
		free(l->launch_of_op);
		free(l->row_of_launch);
		calls_free(&l->calls);
		free(l->more);
		free(l->more_launch);
	}
	*l = (struct launches){0};
}

/* In which order did each thread make the calls that launched something? */

static uint32_t *order_by_start(const struct launches *l, size_t count)
{
	int64_t *start = mem_alloc(count, sizeof(*start));
	uint32_t *order;

	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		start[i] = launches_at(l, i, &c) ? c.start_ns : INT64_MAX;
	}
	order = sort_new_order(start, count);
	free(start);
	return order;
}

/* Counts the calls of each thread one entry too far, so that filling moves them into place. */
static void count_threads(const struct launches *l, size_t count, size_t *begin)
{
	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		if (launches_at(l, i, &c))
			begin[launches_origin(l, &c).thread + 2]++;
	}
}

static size_t count_calling_threads(const struct launches *l)
{
	size_t count = 0;

	for (size_t i = 0; i < l->calls.origin_count; i++) {
		uint32_t thread = l->calls.origins[i].thread;

		if (thread != ID_NONE && thread >= count)
			count = (size_t)thread + 1;
	}
	return count;
}

void call_order_make(const struct launches *l, struct call_order *ret)
{
	size_t count = l->launch_count + l->more_count, thread_count = count_calling_threads(l);
	uint32_t *by_start = order_by_start(l, count);

	*ret = (struct call_order){
		.numbers = mem_alloc(count, sizeof(*ret->numbers)),
		.begin = mem_zalloc(thread_count + 2, sizeof(*ret->begin)),
		.thread_count = thread_count,
	};
	count_threads(l, count, ret->begin);
	for (size_t i = 1; i < thread_count + 2; i++)
		ret->begin[i] += ret->begin[i - 1];
	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		if (launches_at(l, by_start[i], &c))
			ret->numbers[ret->begin[launches_origin(l, &c).thread + 1]++] = by_start[i];
	}
	free(by_start);
}

void call_order_free(struct call_order *o)
{
	free(o->numbers);
	free(o->begin);
	*o = (struct call_order){0};
}
