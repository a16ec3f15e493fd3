/* Which sorts of copies are there, and how much of each has nothing beside it? */
#include "analysis/findings/collect.h"

#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

static size_t copy_index(struct explain *x, uint32_t kind, uint32_t src, uint32_t dst)
{
	for (size_t i = 0; i < x->copy_count; i++) {
		const struct copy_time *c = &x->copy_times[i];

		if (c->copy_kind == kind && c->src_kind == src && c->dst_kind == dst)
			return i;
	}
	MEM_GROW(x->copy_times, x->copy_cap, x->copy_count + 1);
	x->copy_times[x->copy_count] =
		(struct copy_time){.copy_kind = kind, .src_kind = src, .dst_kind = dst};
	return x->copy_count++;
}

/* Before the walk: what a gap beside a copy means depends on how many of its sort there are. */
void copies_sort(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	x->copy_count = 0;
	free(x->copy_sort);
	x->copy_sort = mem_alloc(ev->count, sizeof(*x->copy_sort));
	for (uint64_t i = 0; i < ev->count; i++) {
		int64_t ns = explain_op_ns(x, TRACE_MEMCPYS, i);
		bool known =
			ev->copy_kind && ev->src_kind && ev->dst_kind && x->copy_count < COPY_SORTS;
		size_t sort;

		x->copy_sort[i] = COPY_UNSORTED;
		if (!ns)
			continue;
		sort = copy_index(x, known ? ev->copy_kind[i] : ID_NONE,
				  known ? ev->src_kind[i] : ID_NONE,
				  known ? ev->dst_kind[i] : ID_NONE);
		x->copy_sort[i] = (uint8_t)sort;
		x->copy_times[sort].count++;
		x->copy_times[sort].total_ns = sat_add(x->copy_times[sort].total_ns, ns);
		if (ev->bytes && ev->bytes[i] > 0)
			x->copy_times[sort].bytes =
				sat_add(x->copy_times[sort].bytes, ev->bytes[i]);
	}
	for (size_t i = 0; i < x->copy_count; i++)
		x->copy_times[i].one_by_one = copies_are_small(&x->copy_times[i]);
}

/* Who made the call that copies. */
static uint32_t copying_stack(const struct explain *x, uint64_t copy)
{
	const struct attribution *a = &x->judge.attribution;
	struct thread_samples samples;
	struct api_call call;
	uint32_t thread;

	if (!x->judge.joined || !attribution_call(a, TRACE_MEMCPYS, copy, &call))
		return STACK_NONE;
	thread = launches_origin(&a->launches, &call).thread;
	if (thread == ID_NONE)
		return STACK_NONE;
	samples = code_of_thread(&x->code, x->trace->thread_keys.keys[thread]);
	return code_in_call(&x->code, &samples, x->trace->thread_keys.keys[thread],
			    (struct span){call.start_ns, api_call_end(&call)});
}

void copies_add_exposed(struct explain *x, const struct copy_facts *c)
{
	const struct events *ev = &x->trace->events[TRACE_MEMCPYS];

	for (uint64_t i = 0; i < ev->count; i++) {
		uint32_t range = RANGE_NONE, row;

		if (!c->exposed_ns[i])
			continue;
		if (x->judge.joined)
			range = attribution_range(&x->judge.attribution, TRACE_MEMCPYS, i);
		row = time_sums_add(&x->sums[SUM_COPIES], x->copy_sort[i],
				    explain_folded_range(x, range), c->device[i], c->exposed_ns[i]);
		time_sums_add_place(&x->sums[SUM_COPIES], row, c->device[i],
				    time_part_all(explain_op_span(x, TRACE_MEMCPYS, i)));
		if (x->code.stacks.count)
			code_sums_add(&x->call_sums, CALLS_COPIES + x->copy_sort[i], NAME_NONE,
				      copying_stack(x, i), c->exposed_ns[i]);
	}
}
