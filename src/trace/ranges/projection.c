/* When did the GPU work on what was launched inside each range? */
#include "trace/ranges/projection.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/span.h"
#include "trace/calls/launch.h"

#include <stdlib.h>

static const enum trace_kind projected[] = {TRACE_KERNELS, TRACE_MEMCPYS, TRACE_MEMSETS};

enum { PROJECTED_KINDS = 1 << TRACE_KERNELS | 1 << TRACE_MEMCPYS | 1 << TRACE_MEMSETS };

static const struct projection nothing = {INT64_MAX, INT64_MIN, 0, 0};

static void widen(struct projection *to, const struct projection *p)
{
	if (p->start_ns < to->start_ns)
		to->start_ns = p->start_ns;
	if (p->end_ns > to->end_ns)
		to->end_ns = p->end_ns;
	to->launches += p->launches;
}

/* When the GPU worked for each launch. */
static struct span *find_spans(const struct trace *t, const struct launches *l)
{
	struct span *spans = mem_alloc(l->launch_count, sizeof(*spans));

	for (size_t i = 0; i < l->launch_count; i++)
		spans[i] = SPAN_NONE;
	for (size_t k = 0; k < ARRAY_LEN(projected); k++) {
		const struct events *ops = &t->events[projected[k]];
		const uint32_t *launch = l->launch_of_op + l->begin[projected[k]];

		for (uint64_t i = 0; i < ops->count; i++, launch++) {
			int64_t start_ns = ops->start_ns[i], ns = ops->duration_ns[i];

			if (*launch != LAUNCH_NONE && ns != DURATION_NONE)
				span_widen(&spans[*launch],
					   (struct span){start_ns, sat_add(start_ns, ns)});
		}
	}
	return spans;
}

static int load_ops(struct trace *t, struct err *e)
{
	const uint32_t times = COLS_TIMES;
	const uint32_t of_launches = COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION);

	for (size_t k = 0; k < ARRAY_LEN(projected); k++) {
		if (trace_load(t, projected[k], times | of_launches, e) < 0 ||
		    trace_require_columns(t, projected[k], times, e) < 0)
			return -1;
	}
	return 0;
}

static void unload_ops(struct trace *t, uint32_t columns)
{
	for (size_t k = 0; k < ARRAY_LEN(projected); k++)
		trace_unload(t, projected[k], columns);
}

static int join_ops(struct trace *t, struct launches *l, struct span **ret_spans, struct err *e)
{
	if (load_ops(t, e) < 0 || launches_join_kinds(t, PROJECTED_KINDS, l, e) < 0)
		return -1;
	unload_ops(t, COL_BIT(COL_PROCESS) | COL_BIT(COL_CORRELATION));
	*ret_spans = find_spans(t, l);
	unload_ops(t, COLS_TIMES);
	launches_forget_ops(l);
	return 0;
}

/* Where a launch that has several calls is counted. */
struct counted {
	uint32_t thread;
	uint32_t at;
};

/*
 * A call is inside a range that begins no later and ends no earlier. The ranges of a thread are
 * taken from the last begun to the first, after the calls that begin no earlier than they do; these
 * lie by their end, in a Fenwick tree, and a range takes all up to its own end. However ranges
 * and calls may overlap, each costs a logarithm.
 */
struct sweep {
	const struct launches *launches;
	const struct call_order *order;
	const struct span *spans;
	struct counted *counted; /* by first call in launches->more */
	uint32_t thread;
	int64_t *ends;		 /* of the thread's ranges, ascending */
	struct projection *sums; /* [1, count]: the tree over `ends` */
	size_t count;
	/* Calls made one after another mostly lie before one end: they enter the tree together. */
	struct projection pending;
	size_t pending_at;
};

/* The first of the ends that is no earlier. */
static size_t find_end(const struct sweep *s, int64_t end_ns)
{
	return BISECT(0, s->count, at, s->ends[at] < end_ns);
}

static void tree_add(struct sweep *s, size_t at, const struct projection *p)
{
	for (size_t i = at + 1; i <= s->count; i += i & -i)
		widen(&s->sums[i], p);
}

static void add_pending(struct sweep *s)
{
	if (s->pending_at < s->count)
		tree_add(s, s->pending_at, &s->pending);
	s->pending = nothing;
}

static struct projection tree_sum(struct sweep *s, size_t at)
{
	struct projection sum = nothing;

	add_pending(s);
	for (size_t i = at + 1; i > 0; i -= i & -i)
		widen(&sum, &s->sums[i]);
	return sum;
}

/* Of several calls with one id, the one that ends first is counted: it is in every range that any
 * is in. */
static uint32_t count_once(struct sweep *s, uint32_t launch, size_t at)
{
	struct projection uncounted = nothing;
	size_t first = launches_first_more(s->launches, launch);
	struct counted *c = &s->counted[first];

	if (first == s->launches->more_count || s->launches->more_launch[first] != launch)
		return 1;
	if (c->thread == s->thread) {
		if (c->at <= at)
			return 0;
		uncounted.launches = UINT32_MAX; /* −1 */
		tree_add(s, c->at, &uncounted);
	}
	*c = (struct counted){s->thread, (uint32_t)at};
	return 1;
}

static bool ends_as_pending(const struct sweep *s, int64_t end_ns)
{
	size_t at = s->pending_at;

	return at < s->count && end_ns <= s->ends[at] && (at == 0 || s->ends[at - 1] < end_ns);
}

static void take_call(struct sweep *s, uint32_t number, const struct api_call *c)
{
	uint32_t launch = launches_of_call(s->launches, number);
	struct projection p = {s->spans[launch].start_ns, s->spans[launch].end_ns, 1, 0};

	/* Without times nothing was seen to be launched. */
	if (p.start_ns == nothing.start_ns && p.end_ns == nothing.end_ns)
		return;
	if (!ends_as_pending(s, api_call_last(c))) {
		add_pending(s);
		s->pending_at = find_end(s, api_call_last(c));
	}
	/* Past the last end is no range. */
	if (s->pending_at == s->count)
		return;
	if (s->launches->more_count)
		p.launches = count_once(s, launch, s->pending_at);
	widen(&s->pending, &p);
}

static void begin_thread(struct sweep *s, const struct range *ranges, size_t count)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));

	s->thread = ranges[0].thread;
	s->count = s->pending_at = count;
	s->pending = nothing;
	s->ends = mem_alloc(count, sizeof(*s->ends));
	for (size_t i = 0; i < count; i++)
		s->ends[i] = ranges[i].end_ns;
	sort_i64(s->ends, scratch, count);
	free(scratch);
	s->sums = mem_alloc(count + 1, sizeof(*s->sums));
	for (size_t i = 0; i <= count; i++)
		s->sums[i] = nothing;
}

static void project_thread(struct sweep *s, const struct range *ranges, size_t count,
			   struct projection *out)
{
	size_t begin = call_order_begin(s->order, ranges[0].thread);
	size_t next = call_order_end(s->order, ranges[0].thread);

	begin_thread(s, ranges, count);
	for (size_t i = count; i-- > 0;) {
		for (; next > begin; next--) {
			uint32_t number = s->order->numbers[next - 1];
			struct api_call c = {0};

			launches_at(s->launches, number, &c);
			if (c.start_ns < ranges[i].start_ns)
				break;
			take_call(s, number, &c);
		}
		out[i] = tree_sum(s, find_end(s, ranges[i].end_ns));
	}
	free(s->ends);
	free(s->sums);
}

static void project(const struct launches *l, const struct span *spans, struct projections *p)
{
	struct call_order order;
	struct sweep s = {.launches = l, .order = &order, .spans = spans};
	const struct range *ranges = p->forest.ranges;
	size_t end;

	call_order_make(l, &order);
	s.counted = mem_alloc(l->more_count + 1, sizeof(*s.counted));
	for (size_t i = 0; i <= l->more_count; i++)
		s.counted[i] = (struct counted){ID_NONE, 0};
	for (size_t begin = 0; begin < p->forest.count; begin = end) {
		end = begin + 1;
		while (end < p->forest.count && ranges[end].thread == ranges[begin].thread)
			end++;
		project_thread(&s, &ranges[begin], end - begin, &p->of_range[begin]);
	}
	free(s.counted);
	call_order_free(&order);
}

/* What holds a range holds its launches: parents of projected ranges are projected ones. */
static void count_children(struct projections *p)
{
	for (size_t i = 0; i < p->forest.count; i++) {
		uint32_t parent = p->forest.ranges[i].parent;

		if (p->of_range[i].launches && parent != RANGE_NONE)
			p->of_range[parent].children++;
	}
}

int projections_read(struct trace *t, struct projections *ret, struct err *e)
{
	struct launches l;
	struct span *spans;
	int result;

	*ret = (struct projections){0};
	if (join_ops(t, &l, &spans, e) < 0)
		return -1;
	result = range_forest_build(t, FOREST_ALL, &ret->forest, e);
	if (result == 0) {
		ret->of_range = mem_alloc(ret->forest.count, sizeof(*ret->of_range));
		project(&l, spans, ret);
		count_children(ret);
	}
	free(spans);
	launches_free(&l);
	return result;
}

void projections_free(struct projections *p)
{
	range_forest_free(&p->forest);
	free(p->of_range);
	*p = (struct projections){0};
}
