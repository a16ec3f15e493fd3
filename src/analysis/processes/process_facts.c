/* What did each process do? */
#include "analysis/processes/process_facts.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/host/launch_rates.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

/*
 * A call that returns only when the GPU is done. Records of one call (a driver's within a
 * runtime's) count once. Nothing is kept of the millions of other calls.
 */
struct wait {
	uint64_t thread;
	struct span span;
};

struct wait_list {
	struct wait *items;
	size_t count, cap;
};

struct reading {
	struct trace *trace;
	const struct scope *p;
	struct calls calls;
	bool *counts;		 /* by origin: it blocks, and its process is asked for */
	struct wait_list *lists; /* one per worker */
};

static int choose_origins(struct reading *r, struct err *e)
{
	struct call_classes classes;

	if (call_classes_read(r->trace, &classes, e) < 0)
		return -1;
	r->counts = mem_alloc(r->calls.origin_count, sizeof(*r->counts));
	for (size_t i = 0; i < r->calls.origin_count; i++) {
		const struct call_origin *o = &r->calls.origins[i];

		r->counts[i] = o->thread != ID_NONE && call_blocks(&classes, o->name) &&
			       scope_has_thread(r->p, r->trace, o->thread);
	}
	call_classes_free(&classes);
	return 0;
}

static void take_calls(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct reading *r = ctx;
	struct wait_list *list = &r->lists[worker];

	for (size_t i = begin; i < end; i++) {
		struct api_call call;
		struct wait wait;

		if (!r->counts[calls_origin(&r->calls, i)])
			continue;
		call = calls_at(&r->calls, i);
		if (call.duration_ns == DURATION_NONE ||
		    !window_part(r->p, call.start_ns, call.duration_ns, &wait.span))
			continue;
		wait.thread = r->trace->thread_keys.keys[r->calls.origins[call.origin].thread];
		MEM_GROW(list->items, list->cap, list->count + 1);
		list->items[list->count++] = wait;
	}
}

/* Outer records before what they hold, so that the order is the same whoever read them. */
static int compare_waits(const void *a, const void *b, void *ctx)
{
	const struct wait *x = a, *y = b;

	(void)ctx;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->span.start_ns != y->span.start_ns)
		return x->span.start_ns < y->span.start_ns ? -1 : 1;
	return (x->span.end_ns < y->span.end_ns) - (x->span.end_ns > y->span.end_ns);
}

/* Those of all workers, by thread and start. */
static struct wait_list gather(const struct reading *r)
{
	struct wait_list all = {0};

	for (unsigned w = 0; w < parallel_workers(); w++) {
		const struct wait_list *list = &r->lists[w];

		if (!list->count)
			continue;
		MEM_GROW(all.items, all.cap, all.count + list->count);
		memcpy(all.items + all.count, list->items, list->count * sizeof(*list->items));
		all.count += list->count;
	}
	sort_stable(all.items, all.count, sizeof(*all.items), compare_waits, NULL);
	return all;
}

/* The window and the pid of p apply. */
static int read_waits(struct trace *t, const struct scope *p, bool *ret_known,
		      struct wait_list *ret, struct err *e)
{
	struct reading r = {.trace = t, .p = p};
	int result;

	*ret = (struct wait_list){0};
	if (calls_read(t, &r.calls, e) < 0)
		return -1;
	*ret_known = r.calls.has_times && r.calls.has_threads && r.calls.has_names;
	r.lists = mem_zalloc(parallel_workers(), sizeof(*r.lists));
	result = choose_origins(&r, e);
	if (result == 0 && *ret_known) {
		parallel_each(r.calls.count, PARALLEL_ROWS, take_calls, &r);
		*ret = gather(&r);
	}
	for (unsigned w = 0; w < parallel_workers(); w++)
		free(r.lists[w].items);
	free(r.lists);
	free(r.counts);
	calls_free(&r.calls);
	return result;
}

enum { LAUNCHED_KINDS = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_GRAPHS) };

struct maker {
	struct trace *trace;
	const struct scope *p;
	struct process_facts *out;
	struct attribution at;
	struct gpu_work work;
};

static struct process_fact *fact_of(const struct maker *m, uint32_t process)
{
	return &m->out->items[process < m->out->count ? process : m->out->count - 1];
}

static void add_kernel(struct maker *m, uint64_t op)
{
	struct process_fact *f = fact_of(m, event_process(&m->trace->events[TRACE_KERNELS], op));
	const struct launches *l = &m->at.launches;
	struct span part;
	int64_t ns;

	if (!gpu_work_part(&m->work, TRACE_KERNELS, op, &part))
		return;
	ns = sat_sub(part.end_ns, part.start_ns);
	f->kernel_ns = sat_add(f->kernel_ns, ns);
	f->kernels++;
	f->kernels_with_call += l->kinds & NEEDS(TRACE_KERNELS) &&
				launches_has_call(l, l->begin[TRACE_KERNELS] + op);
	if (attribution_range(&m->at, TRACE_KERNELS, op) != RANGE_NONE)
		f->in_ranges_ns = sat_add(f->in_ranges_ns, ns);
}

static void add_rate(struct process_fact *f, const struct launch_rate *rate)
{
	const struct launch_counts *all = &rate->all;

	if (!all->launches)
		return;
	if (!f->launches || all->first_ns < f->first_ns)
		f->first_ns = all->first_ns;
	if (!f->launches || all->last_ns > f->last_ns)
		f->last_ns = all->last_ns;
	f->launches += all->launches;
	f->storm |= launch_rate_is_storm(rate);
}

static int add_launches(struct maker *m, struct err *e)
{
	struct launch_rates rates;

	if (launch_rates_read(m->trace, &m->at.launches, m->p, &rates, e) < 0)
		return -1;
	for (size_t i = 0; i < rates.count; i++)
		add_rate(fact_of(m, rates.all[i].pair.process), &rates.all[i].rate);
	launch_rates_free(&rates);
	return 0;
}

static void add_ranges(struct maker *m)
{
	const struct events *ev = &m->trace->events[TRACE_NVTX];

	for (uint64_t i = 0; ev->thread && i < ev->count; i++) {
		uint32_t process;
		struct span part;

		if (!nvtx_is_range(ev->event_type[i]))
			continue;
		process = trace_thread_process(m->trace, ev->thread[i]);
		if (window_part(m->p, ev->start_ns[i], ev->duration_ns[i], &part) &&
		    scope_has_process(m->p, m->trace, process))
			fact_of(m, process)->ranges++;
	}
}

static void add_blocked(struct maker *m, const struct wait_list *waits)
{
	int64_t reached = 0;

	for (size_t i = 0; i < waits->count; i++) {
		const struct wait *w = &waits->items[i];
		struct process_fact *f =
			fact_of(m, idmap_get(&m->trace->process_keys.map, w->thread >> 24));

		if (!i || waits->items[i - 1].thread != w->thread)
			reached = INT64_MIN;
		/* A record inside another is the same call. */
		if (w->span.end_ns > reached)
			f->blocked_ns = sat_add(f->blocked_ns, span_beyond(w->span, &reached));
	}
}

/* Reading has numbered all processes. */
static void new_facts(struct maker *m, bool has_calls)
{
	const struct trace *t = m->trace;
	struct process_facts *out = m->out;

	out->count = t->process_keys.count + 1;
	out->items = mem_zalloc(out->count, sizeof(*out->items));
	for (size_t i = 0; i + 1 < out->count; i++)
		out->items[i].key = t->process_keys.keys[i];
	out->has_kernels = t->events[TRACE_KERNELS].count > 0;
	out->has_calls = has_calls;
	out->has_ranges = t->events[TRACE_NVTX].count > 0;
}

int process_facts_read(struct trace *t, const struct scope *p, struct process_facts *ret,
		       struct err *e)
{
	struct maker m = {.trace = t, .p = p, .out = ret};
	struct wait_list waits;
	bool has_calls;
	int result = -1;

	*ret = (struct process_facts){0};
	if (read_waits(t, p, &has_calls, &waits, e) < 0)
		return -1;
	if (attribution_make(t, LAUNCHED_KINDS, &m.at, e) == 0 &&
	    gpu_work_open(&m.work, t, LAUNCHED_KINDS, p, e) == 0) {
		new_facts(&m, has_calls);
		for (uint64_t i = 0; i < t->events[TRACE_KERNELS].count; i++)
			add_kernel(&m, i);
		add_ranges(&m);
		add_blocked(&m, &waits);
		attribution_drop_ranges(&m.at);
		result = add_launches(&m, e);
	}
	gpu_work_close(&m.work);
	attribution_free(&m.at);
	free(waits.items);
	if (result < 0)
		process_facts_free(ret);
	return result;
}

void process_facts_free(struct process_facts *f)
{
	free(f->items);
	*f = (struct process_facts){0};
}

double process_launch_rate(const struct process_fact *f)
{
	double over_ns = (double)sat_sub(f->last_ns, f->first_ns);

	return over_ns > 0 ? (double)(f->launches - 1) * 1e9 / over_ns : 0;
}
