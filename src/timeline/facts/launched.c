/* Which ops did a call launch? */
#include "timeline/facts/launched.h"

#include "base/parallel.h"

#include <stdatomic.h>

struct search {
	const struct launches *launches;
	const struct trace *trace;
	uint32_t call_row;
	_Atomic uint32_t launch; /* LAUNCH_NONE: none was found */
	enum trace_kind kind;
	pthread_mutex_t lock; /* ops that are found are few */
	struct launched *ret;
};

static void search_launches(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct search *s = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (s->launches->row_of_launch[i] == s->call_row)
			atomic_store(&s->launch, (uint32_t)i);
	}
}

static void take(struct launched *to, const struct events *ev, uint32_t id)
{
	const int64_t start_ns = ev->start_ns[op_id_row(id)];

	if (!to->count || start_ns < to->start_ns || (start_ns == to->start_ns && id < to->first)) {
		to->first = id;
		to->start_ns = start_ns;
	}
	to->count++;
	to->gpu_ns = sat_add(to->gpu_ns, sat_sub(op_end_ns(ev, op_id_row(id)), start_ns));
}

static void search_ops(void *ctx, size_t begin, size_t end, unsigned worker)
{
	struct search *s = ctx;
	const struct events *ev = &s->trace->events[s->kind];
	const uint32_t *launch_of = s->launches->launch_of_op + s->launches->begin[s->kind];
	const uint32_t wanted = s->launch;

	(void)worker;
	for (size_t row = begin; row < end; row++) {
		if (launch_of[row] != wanted || ev->duration_ns[row] == DURATION_NONE)
			continue;
		pthread_mutex_lock(&s->lock);
		take(s->ret, ev, op_id(s->kind, row));
		pthread_mutex_unlock(&s->lock);
	}
}

void launched_find(const struct launches *l, const struct trace *t, uint32_t call_row,
		   struct launched *ret)
{
	struct search s = {.launches = l,
			   .trace = t,
			   .call_row = call_row,
			   .launch = LAUNCH_NONE,
			   .lock = PTHREAD_MUTEX_INITIALIZER,
			   .ret = ret};

	*ret = (struct launched){0};
	parallel_each(l->launch_count, PARALLEL_ROWS, search_launches, &s);
	for (int kind = 0; s.launch != LAUNCH_NONE && kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &t->events[kind];

		s.kind = (enum trace_kind)kind;
		if (l->kinds & 1u << kind && ev->start_ns && ev->duration_ns)
			parallel_each(ev->count, PARALLEL_ROWS, search_ops, &s);
	}
}
