/* Which calls lie near the places? Tables are long, and places few: each table is passed once. */
#include "timeline/strips/strip_plan.h"

#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Rows that are looked at together: nearly all of millions are near no place. */
enum { TOGETHER = 256 };

/* Of a row of a table of calls: its time, which ends before it starts where it has none; whose. */
typedef struct span time_fn(const void *table, size_t row);
typedef uint32_t thread_fn(const void *table, size_t row);

struct pass {
	const struct strip_maker *maker;
	const void *table;
	bool any_thread;	   /* a plan that names none asks for those of all */
	struct strip_items *found; /* by worker and plan */
};

static bool is_near(const struct strip_plan *p, struct span time)
{
	return time.start_ns < p->window.end_ns && time.end_ns > p->window.start_ns;
}

static void take_row(const struct pass *x, struct strip_items *found, uint32_t row,
		     struct span time, uint32_t thread)
{
	for (size_t i = 0; i < x->maker->count; i++) {
		const struct strip_plan *p = &x->maker->plans[i];
		struct strip_items *to = &found[i];

		if (!is_near(p, time) ||
		    (p->thread != thread && !(p->thread == ID_NONE && x->any_thread)))
			continue;
		MEM_GROW(to->all, to->cap, to->count + 1);
		to->all[to->count++] = (struct strip_item){time.start_ns, time.end_ns, row, thread};
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
static inline __attribute__((always_inline)) void look_at_some(const struct pass *x, size_t begin,
							       size_t end, unsigned worker,
							       time_fn *time_of,
							       thread_fn *thread_of)
{
	struct strip_items *found = &x->found[worker * x->maker->count];

	for (size_t from = begin, to; from < end; from = to) {
		struct span times = SPAN_NONE, time[TOGETHER];

		to = from + TOGETHER < end ? from + TOGETHER : end;
		for (size_t row = from; row < to; row++) {
			time[row - from] = time_of(x->table, row);
			span_widen(&times, time[row - from]);
		}
		for (size_t row = from; are_near(x->maker, times) && row < to; row++)
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

static struct strip_items join_items(const struct pass *x, size_t plan)
{
	struct strip_items all = {0};

	for (unsigned worker = 0; worker < parallel_workers(); worker++) {
		struct strip_items *from = &x->found[worker * x->maker->count + plan];

		MEM_GROW(all.all, all.cap, all.count + from->count);
		for (size_t i = 0; i < from->count; i++)
			all.all[all.count++] = from->all[i];
		free(from->all);
	}
	if (all.count)
		qsort(all.all, all.count, sizeof(*all.all), compare_items);
	return all;
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

static struct span os_time(const void *events, size_t row)
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

static void look_at_calls(void *pass, size_t begin, size_t end, unsigned worker)
{
	look_at_some(pass, begin, end, worker, call_time, call_thread);
}

static void look_at_os_calls(void *pass, size_t begin, size_t end, unsigned worker)
{
	look_at_some(pass, begin, end, worker, os_time, os_thread);
}

static struct strip_items *items_of(struct strip_plan *p, bool os)
{
	return os ? &p->os_calls : &p->calls;
}

static void pass_over(struct strip_maker *m, const void *table, size_t rows, bool os)
{
	struct pass x = {.maker = m, .table = table, .any_thread = !os};

	x.found = mem_zalloc(parallel_workers() * m->count, sizeof(*x.found));
	parallel_each(rows, PARALLEL_ROWS, os ? look_at_os_calls : look_at_calls, &x);
	for (size_t i = 0; i < m->count; i++)
		*items_of(&m->plans[i], os) = join_items(&x, i);
	free(x.found);
}

/* Where nobody knows who launched what, it is the thread that is in calls for most of the place. */
static uint32_t busiest_thread(const struct strip_plan *p, size_t threads)
{
	int64_t *ns = mem_zalloc(threads, sizeof(*ns));
	uint32_t best = ID_NONE;

	for (size_t i = 0; i < p->calls.count; i++) {
		const struct strip_item *c = &p->calls.all[i];
		const struct span time = {c->start_ns, c->end_ns};

		/* One that is only near the place is better than none. */
		if (c->thread < threads)
			ns[c->thread] = sat_add(ns[c->thread], 1 + span_overlap(time, p->place));
	}
	for (uint32_t i = 0; i < threads; i++) {
		if (ns[i] && (best == ID_NONE || ns[i] > ns[best]))
			best = i;
	}
	free(ns);
	return best;
}

void strip_plans_find_calls(struct strip_maker *m)
{
	const struct events *os = &m->trace->events[TRACE_OSRT];

	if (m->calls.has_times)
		pass_over(m, &m->calls, m->calls.count, false);
	for (size_t i = 0; i < m->count; i++) {
		if (m->plans[i].thread == ID_NONE)
			m->plans[i].thread =
				busiest_thread(&m->plans[i], m->trace->thread_keys.count);
		if (m->plans[i].thread == ID_NONE)
			m->plans[i].thread = strip_find_ranges_thread(m, &m->plans[i]);
	}
	if (os->start_ns && os->duration_ns && os->thread && os->name)
		pass_over(m, os, os->count, true);
}
