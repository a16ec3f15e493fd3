/* Which NVTX range does each GPU op belong to? */
#include "trace/ranges/attribution.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "trace/ranges/innermost.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

struct search {
	struct attribution *out;
	struct innermost innermost;
};

static void find_ranges(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct search *s = ctx;
	const struct launches *l = &s->out->launches;
	struct innermost_cursor at = {0};

	(void)worker;
	for (size_t launch = begin; launch < end; launch++) {
		struct api_call c;

		s->out->range_of_launch[launch] =
			launches_earliest_call(l, launch, &c)
				? innermost_follow(&s->innermost, launches_origin(l, &c).thread,
						   c.start_ns, &at)
				: RANGE_NONE;
	}
}

int attribution_find_ranges(struct trace *t, struct attribution *a, struct err *e)
{
	struct search s = {.out = a};

	if (range_forest_build(t, FOREST_PUSH_POP, &a->forest, e) < 0)
		return -1;
	innermost_make_program(t, &a->forest, &s.innermost);
	a->range_of_launch = mem_alloc(a->launches.launch_count, sizeof(*a->range_of_launch));
	parallel_each(a->launches.launch_count, PARALLEL_ROWS, find_ranges, &s);
	innermost_free(&s.innermost);
	return 0;
}

/* The ranges of the launches that all share, as an attribution without launches of its own. */
static int find_shared_ranges(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct launches *l = ctx;
	struct attribution a = {.launches = *l};

	if (attribution_find_ranges(t, &a, e) < 0)
		return -1;
	a.launches = (struct launches){0};
	*(struct attribution *)made = a;
	return 0;
}

static void free_shared_ranges(void *made)
{
	attribution_drop_ranges(made);
}

static const struct cached cached_ranges = {sizeof(struct attribution), find_shared_ranges,
					    free_shared_ranges};

static int share_ranges(struct trace *t, struct attribution *a, struct err *e)
{
	const struct attribution *all = trace_cache_get(t, &cached_ranges, &a->launches, e);

	if (!all)
		return -1;
	a->forest = all->forest;
	a->range_of_launch = all->range_of_launch;
	a->shared = true;
	return 0;
}

bool attribution_begin_sharing(struct trace *t)
{
	bool before = t->uses_cache;

	if (!before)
		t->uses_cache = true;
	return before;
}

/* Others may count by kind, and are given a join of their own. */
void attribution_end_sharing(struct trace *t, bool before)
{
	if (before)
		return;
	t->uses_cache = false;
	trace_cache_drop(t, &cached_ranges);
	launches_drop_shared(t);
}

int attribution_make(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e)
{
	int result;

	*ret = (struct attribution){0};
	/* Threads get their numbers as they are met: the ranges' come before they are looked up. */
	if (launches_join_kinds(t, kinds, &ret->launches, e) < 0)
		return -1;
	result =
		ret->launches.shared ? share_ranges(t, ret, e) : attribution_find_ranges(t, ret, e);
	if (result < 0)
		attribution_free(ret);
	return result;
}

int attribution_make_bare(struct trace *t, unsigned kinds, struct attribution *ret, struct err *e)
{
	*ret = (struct attribution){0};
	if (launches_join_kinds(t, kinds, &ret->launches, e) < 0)
		return -1;
	ret->range_of_launch = mem_alloc(ret->launches.launch_count, sizeof(*ret->range_of_launch));
	for (size_t launch = 0; launch < ret->launches.launch_count; launch++)
		ret->range_of_launch[launch] = RANGE_NONE;
	return 0;
}

void attribution_drop_ranges(struct attribution *a)
{
	if (!a->shared) {
		range_forest_free(&a->forest);
		free(a->range_of_launch);
	}
	a->forest = (struct range_forest){0};
	a->range_of_launch = NULL;
}

void attribution_free(struct attribution *a)
{
	launches_free(&a->launches);
	attribution_drop_ranges(a);
}

struct sweep {
	const struct range_forest *forest;
	struct open_ranges open;
	size_t next; /* range to be entered */
};

/* Enters the ranges that begin no later than the call. */
static void advance(struct sweep *s, uint32_t thread, int64_t start_ns)
{
	for (; s->next < s->forest->count; s->next++) {
		const struct range *r = &s->forest->ranges[s->next];

		if (r->thread > thread || (r->thread == thread && r->start_ns > start_ns))
			return;
		if (s->next && r[-1].thread != r->thread)
			open_ranges_clear(&s->open);
		open_ranges_enter(&s->open,
				  (struct open_range){r->start_ns, r->end_ns, (uint32_t)s->next});
	}
}

void range_forest_enclose(const struct range_forest *f, const struct launches *l, uint32_t *out)
{
	struct call_order order;
	struct sweep s = {.forest = f};

	for (size_t i = 0; i < l->launch_count; i++)
		out[i] = RANGE_NONE;
	call_order_make(l, &order);
	for (size_t i = 0; i < order.begin[order.thread_count]; i++) {
		uint32_t number = order.numbers[i], thread;
		struct api_call c;

		if (number >= l->launch_count || !launches_earliest_call(l, number, &c))
			continue;
		thread = launches_origin(l, &c).thread;
		advance(&s, thread, c.start_ns);
		if (s.next && f->ranges[s.next - 1].thread == thread)
			out[number] =
				open_ranges_find_latest(&s.open, c.start_ns, api_call_end(&c));
	}
	open_ranges_free(&s.open);
	call_order_free(&order);
}
