/* What did each process do? */
#include "analysis/processes/process_facts.h"

#include "analysis/gpu/gpu_work.h"
#include "analysis/host/blocked.h"
#include "analysis/host/launch_rates.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/intern.h"
#include "trace/ranges/attribution.h"

#include <stdlib.h>

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

static uint32_t op_process(const struct events *ev, uint64_t op)
{
	return ev->process ? ev->process[op] : ID_NONE;
}

static void add_kernel(struct maker *m, uint64_t op)
{
	struct process_fact *f = fact_of(m, op_process(&m->trace->events[TRACE_KERNELS], op));
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
	const struct place_launches *all = &rate->all;

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
	struct place_rates rates;

	if (place_rates_read(m->trace, &m->at.launches, m->p, &rates, e) < 0)
		return -1;
	for (size_t i = 0; i < rates.count; i++)
		add_rate(fact_of(m, rates.all[i].place.process), &rates.all[i].rate);
	place_rates_free(&rates);
	return 0;
}

static void add_ranges(struct maker *m)
{
	const struct events *ev = &m->trace->events[TRACE_NVTX];

	for (uint64_t i = 0; ev->thread && i < ev->count; i++) {
		uint32_t process;
		struct span part;

		if (!nvtx_is_push_pop(ev->event_type[i]) && !nvtx_is_start_end(ev->event_type[i]))
			continue;
		process = trace_thread_process(m->trace, ev->thread[i]);
		if (window_part(m->p, ev->start_ns[i], ev->duration_ns[i], &part) &&
		    scope_has_process(m->p, m->trace, process))
			fact_of(m, process)->ranges++;
	}
}

static void add_blocked(struct maker *m, const struct blocked *b)
{
	for (size_t i = 0; i < b->count; i++) {
		uint32_t process = idmap_get(&m->trace->process_keys.map, b->threads[i].key >> 24);
		struct process_fact *f = fact_of(m, process);

		f->blocked_ns = sat_add(f->blocked_ns, b->threads[i].ns);
	}
}

/* All processes have their numbers from here on. */
static void new_facts(struct maker *m, const struct blocked *b)
{
	struct trace *t = m->trace;
	struct process_facts *out = m->out;

	trace_lock(t);
	for (size_t i = 0; i < b->count; i++) {
		if (idmap_get(&t->process_keys.map, b->threads[i].key >> 24) == IDMAP_NONE)
			intern_add(&t->process_keys, b->threads[i].key >> 24);
	}
	trace_unlock(t);
	out->count = t->process_keys.count + 1;
	out->items = mem_zalloc(out->count, sizeof(*out->items));
	for (size_t i = 0; i + 1 < out->count; i++)
		out->items[i].key = t->process_keys.keys[i];
	out->has_kernels = t->events[TRACE_KERNELS].count > 0;
	out->has_calls = b->known;
	out->has_ranges = t->events[TRACE_NVTX].count > 0;
}

int process_facts_read(struct trace *t, const struct scope *p, struct process_facts *ret,
		       struct err *e)
{
	struct maker m = {.trace = t, .p = p, .out = ret};
	struct blocked blocked;
	int result = -1;

	*ret = (struct process_facts){0};
	if (blocked_read(t, p, &blocked, e) < 0)
		return -1;
	if (attribution_make(t, LAUNCHED_KINDS, &m.at, e) == 0 &&
	    gpu_work_open(&m.work, t, LAUNCHED_KINDS, p, e) == 0) {
		new_facts(&m, &blocked);
		for (uint64_t i = 0; i < t->events[TRACE_KERNELS].count; i++)
			add_kernel(&m, i);
		add_ranges(&m);
		add_blocked(&m, &blocked);
		attribution_drop_ranges(&m.at);
		result = add_launches(&m, e);
	}
	gpu_work_close(&m.work);
	attribution_free(&m.at);
	blocked_free(&blocked);
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
