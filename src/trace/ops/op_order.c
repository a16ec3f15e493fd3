/* When are ops of a kind, and do they lie in that order? */
#include "trace/ops/op_order.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/sort.h"
#include "trace/trace_cache.h"

#include <stdlib.h>

/* What one worker has seen. */
struct seen {
	struct op_times times;
	bool unsorted;
};

struct pass {
	const struct events *ev;
	struct seen *seen; /* one per worker */
};

static void widen(struct op_times *t, int64_t first_ns, int64_t last_ns, int64_t longest_ns)
{
	if (!t->any || first_ns < t->first_ns)
		t->first_ns = first_ns;
	if (!t->any || last_ns > t->last_ns)
		t->last_ns = last_ns;
	if (longest_ns > t->longest_ns)
		t->longest_ns = longest_ns;
	t->any = true;
}

static void see_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct pass *x = ctx;
	const struct events *ev = x->ev;
	struct seen s = x->seen[worker];

	for (size_t i = begin; i < end; i++) {
		s.unsorted |= i && ev->start_ns[i - 1] > ev->start_ns[i];
		if (ev->duration_ns[i] == DURATION_NONE) {
			s.times.faults.without_times++;
			continue;
		}
		s.times.faults.backwards += ev->duration_ns[i] < 0;
		widen(&s.times, ev->start_ns[i], op_end_ns(ev, i), ev->duration_ns[i]);
	}
	x->seen[worker] = s;
}

void op_times_add(struct op_times *to, const struct op_times *t)
{
	to->faults.without_times += t->faults.without_times;
	to->faults.backwards += t->faults.backwards;
	if (t->any)
		widen(to, t->first_ns, t->last_ns, t->longest_ns);
}

static int make(struct trace *t, const void *ctx, void *made, struct err *e)
{
	const struct events *ev = &t->events[*(const enum trace_kind *)ctx];
	struct op_order *ret = made;
	struct pass x = {ev, mem_zalloc(parallel_workers(), sizeof(*x.seen))};
	bool unsorted = false;

	(void)e;
	parallel_each(ev->count, PARALLEL_ROWS, see_some, &x);
	for (unsigned i = 0; i < parallel_workers(); i++) {
		op_times_add(&ret->times, &x.seen[i].times);
		unsorted |= x.seen[i].unsorted;
	}
	free(x.seen);
	if (unsorted)
		ret->order = sort_new_order(ev->start_ns, ev->count);
	return 0;
}

static void free_order(void *made)
{
	struct op_order *o = made;

	free(o->order);
}

void op_order_make(struct trace *t, enum trace_kind kind, struct op_order *ret)
{
	static const struct cached cached_orders[TRACE_GPU_KINDS] = {
		[0 ... TRACE_GPU_KINDS - 1] = {sizeof(*ret), make, free_order}};
	struct err never;

	trace_cache_make(t, &cached_orders[kind], &kind, ret, &ret->shared, &never);
}
