/* In which order did each thread make the calls that launched something? */
#include "base/mem.h"
#include "base/sort.h"
#include "trace/calls/launch.h"

#include <stdlib.h>

static uint32_t *order_by_start(const struct launches *l, size_t count)
{
	int64_t *start = mem_alloc(count, sizeof(*start));
	uint32_t *order;

	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		start[i] = launches_at(l, i, &c) ? c.start_ns : INT64_MAX;
	}
	order = sort_new_order(start, count);
	free(start);
	return order;
}

/* Counts the calls of each thread one entry too far, so that filling moves them into place. */
static void count_threads(const struct launches *l, size_t count, size_t *begin)
{
	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		if (launches_at(l, i, &c))
			begin[launches_origin(l, &c).thread + 2]++;
	}
}

static size_t count_calling_threads(const struct launches *l)
{
	size_t count = 0;

	for (size_t i = 0; i < l->calls.origin_count; i++) {
		uint32_t thread = l->calls.origins[i].thread;

		if (thread != ID_NONE && thread >= count)
			count = (size_t)thread + 1;
	}
	return count;
}

void call_order_make(const struct launches *l, struct call_order *ret)
{
	size_t count = l->slot_count + l->more_count, thread_count = count_calling_threads(l);
	uint32_t *by_start = order_by_start(l, count);

	*ret = (struct call_order){
		.numbers = mem_alloc(count, sizeof(*ret->numbers)),
		.begin = mem_zalloc(thread_count + 2, sizeof(*ret->begin)),
		.thread_count = thread_count,
	};
	count_threads(l, count, ret->begin);
	for (size_t i = 1; i < thread_count + 2; i++)
		ret->begin[i] += ret->begin[i - 1];
	for (size_t i = 0; i < count; i++) {
		struct api_call c;

		if (launches_at(l, by_start[i], &c))
			ret->numbers[ret->begin[launches_origin(l, &c).thread + 1]++] = by_start[i];
	}
	free(by_start);
}

void call_order_free(struct call_order *o)
{
	free(o->numbers);
	free(o->begin);
	*o = (struct call_order){0};
}
