/* Which events lie near the places? Tables are long, and places few: each table is passed once. */
#include "timeline/strips/strip_plan.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "timeline/op_source.h"

#include <stdlib.h>

/* Rows that are looked at together: nearly all of millions are near no place. */
enum { TOGETHER = 256 };

/* Of a row of a table: its time, which ends before it starts where it has none; whose. */
typedef struct span time_fn(const void *table, size_t row);
typedef uint32_t thread_fn(const void *table, size_t row);

struct pass {
	const struct strip_maker *maker;
	const void *table;
	uint32_t first;		   /* what row 0 is known by */
	bool of_all;		   /* whoever's they are */
	bool any_thread;	   /* the same for a plan that names no thread */
	struct strip_items *found; /* by run of rows and plan */
};

static bool is_near(const struct strip_plan *p, struct span time)
{
	return time.start_ns < p->window.end_ns && time.end_ns > p->window.start_ns;
}

static bool is_whose(const struct pass *x, const struct strip_plan *p, uint32_t thread)
{
	return x->of_all || (p->thread == ID_NONE ? x->any_thread : p->thread == thread);
}

static void take_row(const struct pass *x, struct strip_items *found, uint32_t row,
		     struct span time, uint32_t thread)
{
	for (size_t i = 0; i < x->maker->count; i++) {
		const struct strip_plan *p = &x->maker->plans[i];
		struct strip_items *to = &found[i];

		if (!is_near(p, time) || !is_whose(x, p, thread))
			continue;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] =
			(struct strip_item){time.start_ns, time.end_ns, x->first + row, thread};
	}
}

static bool are_near(const struct strip_maker *m, struct span times)
{
	for (size_t i = 0; i < m->count; i++) {
		if (is_near(&m->plans[i], times))
			return true;
	}
	return false;
}

/* `time_of` and `thread_of` are inlined. */
static inline __attribute__((always_inline)) void
look_at_some(const struct pass *x, size_t begin, size_t end, time_fn *time_of, thread_fn *thread_of)
{
	struct strip_items *found = &x->found[begin / PARALLEL_ROWS * x->maker->count];

	for (size_t from = begin, to; from < end; from = to) {
		struct span times = SPAN_NONE, time[TOGETHER];

		to = from + TOGETHER < end ? from + TOGETHER : end;
		for (size_t row = from; row < to; row++) {
			time[row - from] = time_of(x->table, row);
			span_widen(&times, time[row - from]);
		}
		if (!are_near(x->maker, times))
			continue;
		for (size_t row = from; row < to; row++)
			take_row(x, found, (uint32_t)row, time[row - from],
				 thread_of(x->table, row));
	}
}

/* By start, the outer before the inner. */
static int compare_items(const void *a, const void *b)
{
	const struct strip_item *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns > y->end_ns ? -1 : 1;
	return (x->of > y->of) - (x->of < y->of);
}

static bool are_sorted(const struct strip_items *s)
{
	for (size_t i = 1; i < s->count; i++) {
		if (compare_items(&s->all[i - 1], &s->all[i]) > 0)
			return false;
	}
	return true;
}

/* What was found in each run of rows, one after another: nearly always in order of time. */
static void take_found(const struct pass *x, size_t runs, size_t plan, struct strip_items *to)
{
	for (size_t run = 0; run < runs; run++) {
		const struct strip_items *from = &x->found[run * x->maker->count + plan];

		MEM_GROW(to->all, to->cap, to->count + from->count);
		for (size_t i = 0; i < from->count; i++)
			to->all[to->count++] = from->all[i];
		free(from->all);
	}
	if (!are_sorted(to))
		qsort(to->all, to->count, sizeof(*to->all), compare_items);
}

static void pass_over(struct pass *x, size_t rows, parallel_each_fn *look, enum strip_near near)
{
	const struct strip_maker *m = x->maker;
	const size_t runs = rows / PARALLEL_ROWS + 1;

	x->found = mem_zalloc(runs * m->count, sizeof(*x->found));
	parallel_each(rows, PARALLEL_ROWS, look, x);
	for (size_t i = 0; i < m->count; i++)
		take_found(x, runs, i, &m->plans[i].near[near]);
	free(x->found);
}

static struct span call_time(const void *calls, size_t row)
{
	const struct calls *c = calls;
	const struct api_call call = calls_at(c, row);

	if (call.duration_ns == DURATION_NONE)
		return SPAN_NONE;
	return (struct span){call.start_ns, api_call_last(&call)};
}

static uint32_t call_thread(const void *calls, size_t row)
{
	const struct calls *c = calls;

	return c->origins[calls_origin(c, row)].thread;
}

static struct span event_time(const void *events, size_t row)
{
	const struct events *ev = events;
	const int64_t ns = ev->duration_ns[row];

	if (ns == DURATION_NONE)
		return SPAN_NONE;
	return (struct span){ev->start_ns[row], sat_add(ev->start_ns[row], ns > 0 ? ns : 0)};
}

static uint32_t os_thread(const void *events, size_t row)
{
	return ((const struct events *)events)->thread[row];
}

static uint32_t no_thread(const void *events, size_t row)
{
	(void)events;
	(void)row;
	return ID_NONE;
}

static void look_at_ops(void *pass, size_t begin, size_t end, unsigned worker)
{
	(void)worker;
	look_at_some(pass, begin, end, event_time, no_thread);
}

static void look_at_calls(void *pass, size_t begin, size_t end, unsigned worker)
{
	(void)worker;
	look_at_some(pass, begin, end, call_time, call_thread);
}

static void look_at_os_calls(void *pass, size_t begin, size_t end, unsigned worker)
{
	(void)worker;
	look_at_some(pass, begin, end, event_time, os_thread);
}

/* Where nobody knows who launched what, it is the thread that is in calls for most of the place. */
static uint32_t busiest_thread(const struct strip_plan *p, size_t threads)
{
	int64_t *ns = mem_zalloc(threads, sizeof(*ns));
	uint32_t best = ID_NONE;

	for (size_t i = 0; i < p->near[NEAR_CALLS].count; i++) {
		const struct strip_item *c = &p->near[NEAR_CALLS].all[i];
		const struct span time = {c->start_ns, c->end_ns};

		/* One that is only near the place is better than none. */
		if (c->thread < threads)
			ns[c->thread] =
				sat_add(ns[c->thread], sat_add(1, span_overlap(time, p->place)));
	}
	for (uint32_t i = 0; i < threads; i++) {
		if (ns[i] && (best == ID_NONE || ns[i] > ns[best]))
			best = i;
	}
	free(ns);
	return best;
}

/* Ops are of no thread: whatever it is, all are near. */
static void find_ops(struct strip_maker *m)
{
	for (int kind = 0; m->ops.times.any && kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = m->ops.lanes[kind].ev;
		struct pass x = {.maker = m,
				 .table = ev,
				 .first = op_id((enum trace_kind)kind, 0),
				 .of_all = true};

		pass_over(&x, ev->count, look_at_ops, NEAR_OPS);
	}
}

static void find_calls(struct strip_maker *m)
{
	struct pass x = {.maker = m, .table = &m->calls, .any_thread = true};

	if (m->calls.has_times)
		pass_over(&x, m->calls.count, look_at_calls, NEAR_CALLS);
}

static void find_os_calls(struct strip_maker *m)
{
	const struct events *os = &m->trace->events[TRACE_OSRT];
	struct pass x = {.maker = m, .table = os};

	if (os->start_ns && os->duration_ns && os->thread && os->name)
		pass_over(&x, os->count, look_at_os_calls, NEAR_OS_CALLS);
}

void strip_plans_find_events(struct strip_maker *m)
{
	find_ops(m);
	find_calls(m);
	for (size_t i = 0; i < m->count; i++) {
		struct strip_plan *p = &m->plans[i];

		if (p->thread == ID_NONE)
			p->thread = busiest_thread(p, m->trace->thread_keys.count);
		if (p->thread == ID_NONE)
			p->thread = strip_find_ranges_thread(m, p);
	}
	find_os_calls(m);
}
