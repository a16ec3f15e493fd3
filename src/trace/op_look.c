/* When are ops of a kind, and do they lie in that order? */
#include "trace/op_look.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/keep.h"

#include <stdlib.h>

/* What one worker has seen. */
struct sight {
	struct op_look look;
	bool unsorted;
};

struct looking {
	const struct events *ev;
	struct sight *sights; /* one per worker */
};

static int look_at(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct looking *x = ctx;
	const struct events *ev = x->ev;
	struct sight s = x->sights[worker];
	struct op_look *l = &s.look;

	(void)e;
	for (size_t i = begin; i < end; i++) {
		int64_t last;

		s.unsorted |= i && ev->start_ns[i - 1] > ev->start_ns[i];
		if (ev->duration_ns[i] == DURATION_NONE) {
			l->faults.without_times++;
			continue;
		}
		l->faults.backwards += ev->duration_ns[i] < 0;
		last = op_end_ns(ev, i);
		if (!l->any || ev->start_ns[i] < l->first_ns)
			l->first_ns = ev->start_ns[i];
		if (!l->any || last > l->last_ns)
			l->last_ns = last;
		if (ev->duration_ns[i] > l->longest_ns)
			l->longest_ns = ev->duration_ns[i];
		l->any = true;
	}
	x->sights[worker] = s;
	return 0;
}

static void add_look(struct op_look *to, const struct op_look *l)
{
	to->faults.without_times += l->faults.without_times;
	to->faults.backwards += l->faults.backwards;
	if (!l->any)
		return;
	if (!to->any || l->first_ns < to->first_ns)
		to->first_ns = l->first_ns;
	if (!to->any || l->last_ns > to->last_ns)
		to->last_ns = l->last_ns;
	if (l->longest_ns > to->longest_ns)
		to->longest_ns = l->longest_ns;
	to->any = true;
}

static void make(const struct events *ev, struct op_look *ret)
{
	struct looking x = {ev, mem_zalloc(parallel_workers(), sizeof(*x.sights))};
	bool unsorted = false;
	struct err never;

	*ret = (struct op_look){0};
	parallel_for(ev->count, PARALLEL_ROWS, look_at, &x, &never);
	for (unsigned i = 0; i < parallel_workers(); i++) {
		add_look(ret, &x.sights[i].look);
		unsorted |= x.sights[i].unsorted;
	}
	free(x.sights);
	if (unsorted)
		ret->order = sort_new_order(ev->start_ns, ev->count);
}

static const char kept_keys[TRACE_GPU_KINDS];

static void free_kept(void *p)
{
	struct op_look *l = p;

	free(l->order);
	free(l);
}

void op_look_make(struct trace *t, enum trace_kind kind, struct op_look *ret)
{
	struct op_look *kept = trace_kept(t, &kept_keys[kind]);

	if (kept) {
		*ret = *kept;
		return;
	}
	make(&t->events[kind], ret);
	if (!t->shares_joins)
		return;
	ret->shared = true;
	kept = mem_alloc(1, sizeof(*kept));
	*kept = *ret;
	trace_keep(t, &kept_keys[kind], kept, free_kept);
}
