/* What did each thread spend its time on? */
#include "analysis/processes/thread_facts.h"

#include "analysis/host/waits.h"
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/cpu_events.h"
#include "trace/calls/thread_calls.h"
#include "trace/ranges/ranges.h"

#include <stdlib.h>

/* The thread's facts, made where there are none; NULL: it is not asked about. */
static struct thread_fact *thread_facts_of(struct thread_facts *f, const struct scope *p,
					   uint64_t key)
{
	uint32_t n;

	if (!scope_has_thread_key(p, key))
		return NULL;
	if (p->has_device) {
		n = idmap_get(&f->trace->thread_keys.map, key);
		if (n == IDMAP_NONE || !device_threads_has(&f->of_device, n))
			return NULL;
	}
	n = idmap_add(&f->by_key, key, (uint32_t)f->count);
	if (n == f->count) {
		MEM_GROW(f->all, f->cap, f->count + 1);
		f->all[f->count++] = (struct thread_fact){.key = key};
	}
	return &f->all[n];
}

struct walk {
	const struct scope *p;
	struct thread_facts *facts;
};

static void add_span(void *ctx, uint64_t key, struct span on_cpu)
{
	const struct walk *w = ctx;
	struct span part;
	struct thread_fact *f;

	if (!window_part(w->p, on_cpu.start_ns, sat_sub(on_cpu.end_ns, on_cpu.start_ns), &part))
		return;
	f = thread_facts_of(w->facts, w->p, key);
	if (!f)
		return;
	f->has_switches = true;
	f->cpu_ns = sat_add(f->cpu_ns, sat_sub(part.end_ns, part.start_ns));
}

static int read_switches(struct trace *t, const struct scope *p, struct thread_facts *f,
			 struct err *e)
{
	struct walk w = {.p = p, .facts = f};
	struct cpu_events c;

	if (cpu_switches_read(t, &c, e) < 0)
		return -1;
	f->has_switches = c.count > 0;
	cpu_switches_walk(&c, add_span, &w);
	cpu_events_free(&c);
	return 0;
}

/* A sample says that its thread was on a CPU then; each stands for its cycles. */
static int read_samples(struct trace *t, const struct scope *p, struct thread_facts *f,
			struct err *e)
{
	struct cpu_events c;

	if (cpu_samples_read(t, &c, e) < 0)
		return -1;
	f->has_samples = c.count > 0;
	for (size_t i = 0; i < c.count; i++) {
		int64_t none, cycles = c.number[i] > 0 ? c.number[i] : 0;
		struct thread_fact *of;

		if (!window_clip(p, c.start_ns[i], 0, &none))
			continue;
		f->samples++;
		f->cycles = sat_add(f->cycles, cycles);
		of = thread_facts_of(f, p, c.thread[i]);
		if (!of)
			continue;
		of->samples++;
		of->cycles = sat_add(of->cycles, cycles);
	}
	cpu_events_free(&c);
	return 0;
}

/* Calls of a thread in order of time; those inside others are not among them. */
static void add_calls(struct thread_facts *f, const struct scope *p, const struct trace *t,
		      const struct thread_calls *calls, uint32_t thread,
		      const struct call_classes *classes)
{
	int64_t reached = INT64_MIN;

	for (size_t i = calls->begin[thread]; i < calls->begin[thread + 1]; i++) {
		struct api_call call = calls_at(calls->calls, thread_calls_at(calls, i));
		struct thread_fact *of;
		struct span part;

		if (!window_part(p, call.start_ns, call.duration_ns, &part))
			continue;
		of = thread_facts_of(f, p, t->thread_keys.keys[thread]);
		if (!of)
			return;
		of->calls++;
		of->launches += call_class_of(classes, calls->calls->origins[call.origin].name) ==
				CALL_LAUNCH;
		of->cuda_ns = sat_add(of->cuda_ns, span_beyond(part, &reached));
	}
}

static int read_calls(struct trace *t, const struct scope *p, struct thread_facts *f, struct err *e)
{
	struct thread_calls by_thread;
	struct call_classes classes;
	struct calls calls;
	int result;

	if (calls_read(t, &calls, e) < 0)
		return -1;
	f->has_calls = calls.has_times && calls.has_threads && calls.count;
	result = f->has_calls ? call_classes_read(t, &classes, e) : 0;
	if (result == 0 && f->has_calls) {
		thread_calls_make(&calls, t->thread_keys.count, &by_thread);
		for (size_t i = 0; i < by_thread.threads; i++)
			add_calls(f, p, t, &by_thread, (uint32_t)i, &classes);
		thread_calls_free(&by_thread);
		call_classes_free(&classes);
	}
	calls_free(&calls);
	return result;
}

static int read_waits(struct trace *t, const struct scope *p, struct thread_facts *f, struct err *e)
{
	struct waits waits;

	if (!f->has_calls)
		return 0;
	if (waits_read(t, p, &waits, e) < 0) {
		/* Without names nobody knows which calls wait. */
		bool absent = e->absent;

		*e = absent ? (struct err){0} : *e;
		return absent ? 0 : -1;
	}
	f->has_waits = true;
	for (size_t i = 0; i < waits.count; i++) {
		const struct wait *w = &waits.items[i];
		struct thread_fact *of =
			w->kind == WAIT_NONE || w->thread == ID_NONE
				? NULL
				: thread_facts_of(f, p, t->thread_keys.keys[w->thread]);

		if (of)
			of->blocked_ns = sat_add(of->blocked_ns, w->waited_ns);
	}
	waits_free(&waits);
	return 0;
}

/* Ranges of a thread lie together by start; where outermost ones overlap, that counts once. */
static void add_ranges(struct thread_facts *f, const struct scope *p, const struct trace *t,
		       const struct range_forest *forest)
{
	int64_t reached = INT64_MIN;

	for (size_t i = 0; i < forest->count; i++) {
		const struct range *r = &forest->ranges[i];
		struct thread_fact *of;
		struct span part;

		if (i && forest->ranges[i - 1].thread != r->thread)
			reached = INT64_MIN;
		if (r->parent != RANGE_NONE || r->thread == ID_NONE ||
		    !window_part(p, r->start_ns, sat_sub(r->end_ns, r->start_ns), &part))
			continue;
		of = thread_facts_of(f, p, t->thread_keys.keys[r->thread]);
		if (!of)
			continue;
		of->ranges++;
		of->nvtx_ns = sat_add(of->nvtx_ns, span_beyond(part, &reached));
	}
}

static int read_ranges(struct trace *t, const struct scope *p, struct thread_facts *f,
		       struct err *e)
{
	struct range_forest forest;

	if (!t->events[TRACE_NVTX].table)
		return 0;
	if (range_forest_build(t, FOREST_PUSH_POP, &forest, e) < 0)
		return -1;
	f->has_ranges = forest.count > 0;
	add_ranges(f, p, t, &forest);
	range_forest_free(&forest);
	return 0;
}

int thread_facts_read(struct trace *t, const struct scope *p, struct thread_facts *ret,
		      struct err *e)
{
	*ret = (struct thread_facts){.trace = t};
	if (p->has_device && device_threads_read(t, p->device, &ret->of_device, e) < 0)
		return -1;
	if (read_switches(t, p, ret, e) < 0 || read_samples(t, p, ret, e) < 0 ||
	    read_calls(t, p, ret, e) < 0 || read_waits(t, p, ret, e) < 0)
		return -1;
	return read_ranges(t, p, ret, e);
}

void thread_facts_free(struct thread_facts *f)
{
	free(f->all);
	idmap_free(&f->by_key);
	device_threads_free(&f->of_device);
	*f = (struct thread_facts){0};
}
