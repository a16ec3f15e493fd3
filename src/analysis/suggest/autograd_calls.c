/* Did a backward pass lie between two moments? */
#include "analysis/suggest/autograd_calls.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

static void take_thread(struct autograd_calls *a, const struct launched *l,
			const struct call_order *order, uint32_t thread)
{
	const uint32_t process = l->threads[thread].process;
	const size_t begin = call_order_begin(order, thread), end = call_order_end(order, thread);

	a->starts[process] = mem_resize(a->starts[process], a->counts[process] + end - begin,
					sizeof(**a->starts));
	for (size_t i = begin; i < end; i++) {
		struct api_call call;

		if (launches_at(&l->at.launches, order->numbers[i], &call))
			a->starts[process][a->counts[process]++] = call.start_ns;
	}
}

void autograd_calls_find(struct autograd_calls *a, const struct launched *l,
			 const struct call_order *order)
{
	*a = (struct autograd_calls){
		.starts = mem_zalloc(l->process_count, sizeof(*a->starts)),
		.counts = mem_zalloc(l->process_count, sizeof(*a->counts)),
		.process_count = l->process_count,
	};
	for (uint32_t i = 0; i < l->thread_count; i++) {
		if (l->threads[i].autograd && l->threads[i].process != ID_NONE)
			take_thread(a, l, order, i);
	}
	for (size_t i = 0; i < a->process_count; i++) {
		int64_t *scratch = mem_alloc(a->counts[i], sizeof(*scratch));

		sort_i64(a->starts[i], scratch, a->counts[i]);
		free(scratch);
	}
}

void autograd_calls_free(struct autograd_calls *a)
{
	for (size_t i = 0; i < a->process_count; i++)
		free(a->starts[i]);
	free(a->starts);
	free(a->counts);
	*a = (struct autograd_calls){0};
}

bool autograd_calls_between(const struct autograd_calls *a, uint32_t process, int64_t from_ns,
			    int64_t to_ns)
{
	size_t begin = 0, end;

	if (process == ID_NONE)
		return false;
	end = a->counts[process];
	while (begin < end) {
		const size_t middle = begin + (end - begin) / 2;

		if (a->starts[process][middle] <= from_ns)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin < a->counts[process] && a->starts[process][begin] < to_ns;
}
