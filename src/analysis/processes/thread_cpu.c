/* How long was each thread on a CPU? */
#include "analysis/processes/thread_facts.h"

#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/cpu_events.h"

#include <stdlib.h>

/* A thread on its way through the switches. */
struct running {
	uint64_t key;
	bool in;
	int64_t since_ns;
};

struct walk {
	const struct scope *p;
	struct thread_facts *facts;
	struct idmap numbers; /* globalTid → running */
	struct running *threads;
	size_t count, cap;
	int64_t first_ns, last_ns; /* what the profiler saw of the CPUs */
};

/* Who is switched out first was on a CPU when the profiler began to look. */
static struct running *thread_of(struct walk *w, uint64_t key)
{
	uint32_t n = idmap_add(&w->numbers, key, (uint32_t)w->count);

	if (n == w->count) {
		MEM_GROW(w->threads, w->cap, w->count + 1);
		w->threads[w->count++] = (struct running){key, true, w->first_ns};
	}
	return &w->threads[n];
}

static void add_span(struct walk *w, uint64_t key, int64_t from_ns, int64_t to_ns)
{
	struct span part;
	struct thread_fact *f;

	if (to_ns <= from_ns || !window_part(w->p, from_ns, sat_sub(to_ns, from_ns), &part))
		return;
	f = thread_facts_of(w->facts, w->p, key);
	if (!f)
		return;
	thread_facts_seen(w->facts, part.start_ns, part.end_ns);
	f->has_switches = true;
	f->cpu_ns = sat_add(f->cpu_ns, sat_sub(part.end_ns, part.start_ns));
}

/* The first switch of a thread says where it was before. */
static void take_switch(struct walk *w, uint64_t key, int64_t at_ns, bool in)
{
	size_t before = w->count;
	struct running *r = thread_of(w, key);

	if (w->count > before && in)
		r->in = false;
	if (!in && r->in)
		add_span(w, key, r->since_ns, at_ns);
	if (!(in && r->in))
		r->since_ns = at_ns;
	r->in = in;
}

static void walk_switches(struct walk *w, const struct cpu_events *c)
{
	uint32_t *order = sort_new_order(c->start_ns, c->count);

	w->first_ns = c->start_ns[order[0]];
	w->last_ns = c->start_ns[order[c->count - 1]];
	for (size_t i = 0; i < c->count; i++) {
		uint32_t at = order[i];

		take_switch(w, c->thread[at], c->start_ns[at], c->number[at] != 0);
	}
	for (size_t i = 0; i < w->count; i++) {
		if (w->threads[i].in)
			add_span(w, w->threads[i].key, w->threads[i].since_ns, w->last_ns);
	}
	free(order);
}

static int read_switches(struct trace *t, const struct scope *p, struct thread_facts *f,
			 struct err *e)
{
	struct walk w = {.p = p, .facts = f};
	struct cpu_events c;

	if (cpu_switches_read(t, &c, e) < 0)
		return -1;
	f->has_switches = c.count > 0;
	if (c.count)
		walk_switches(&w, &c);
	free(w.threads);
	idmap_free(&w.numbers);
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
		thread_facts_seen(f, c.start_ns[i], c.start_ns[i]);
		of->samples++;
		of->cycles = sat_add(of->cycles, cycles);
	}
	cpu_events_free(&c);
	return 0;
}

int thread_cpu_read(struct trace *t, const struct scope *p, struct thread_facts *f, struct err *e)
{
	if (read_switches(t, p, f, e) < 0)
		return -1;
	return read_samples(t, p, f, e);
}
