/* When was each thread on a CPU? */
#include "base/idmap.h"
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
	cpu_span_fn *take;
	void *ctx;
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

static void add_span(const struct walk *w, const struct running *r, int64_t to_ns)
{
	if (to_ns > r->since_ns)
		w->take(w->ctx, r->key, (struct span){r->since_ns, to_ns});
}

/* The first switch of a thread says where it was before. */
static void take_switch(struct walk *w, uint64_t key, int64_t at_ns, bool in)
{
	size_t before = w->count;
	struct running *r = thread_of(w, key);

	if (w->count > before && in)
		r->in = false;
	if (!in && r->in)
		add_span(w, r, at_ns);
	if (!(in && r->in))
		r->since_ns = at_ns;
	r->in = in;
}

void cpu_switches_walk(const struct cpu_events *switches, cpu_span_fn *take, void *ctx)
{
	struct walk w = {.take = take, .ctx = ctx};
	uint32_t *order;

	if (!switches->count)
		return;
	order = sort_new_order(switches->start_ns, switches->count);
	w.first_ns = switches->start_ns[order[0]];
	w.last_ns = switches->start_ns[order[switches->count - 1]];
	for (size_t i = 0; i < switches->count; i++) {
		const uint32_t at = order[i];

		take_switch(&w, switches->thread[at], switches->start_ns[at],
			    switches->number[at] != 0);
	}
	for (size_t i = 0; i < w.count; i++) {
		if (w.threads[i].in)
			add_span(&w, &w.threads[i], w.last_ns);
	}
	free(order);
	free(w.threads);
	idmap_free(&w.numbers);
}
