/* Inside which range was each API call made? */
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges.h"

#include <stdlib.h>

/* Calls by thread and then by start; slots without a call come last. */
static uint32_t *order_calls(const struct api_call *calls, size_t count)
{
	int64_t *key = mem_alloc(count, sizeof(*key));
	uint32_t *by_start, *order;

	for (size_t i = 0; i < count; i++)
		key[i] = calls[i].row == ID_NONE ? INT64_MAX : calls[i].start_ns;
	by_start = sort_new_order(key, count);
	/* Sorting is stable: sorted by thread, the calls of a thread stay in order of time. */
	for (size_t i = 0; i < count; i++) {
		const struct api_call *c = &calls[by_start[i]];

		key[i] = c->row == ID_NONE ? INT64_MAX : c->thread;
	}
	order = sort_new_order(key, count);
	for (size_t i = 0; i < count; i++)
		order[i] = by_start[order[i]];
	free(by_start);
	free(key);
	return order;
}

static bool begins_before(const struct range *r, const struct api_call *c)
{
	return r->thread < c->thread || (r->thread == c->thread && r->start_ns <= c->start_ns);
}

void range_forest_enclose(const struct range_forest *f, const struct api_call *calls, size_t count,
			  uint32_t *out)
{
	uint32_t *order = order_calls(calls, count);
	struct open_ranges open = {0};
	size_t next = 0;

	for (size_t i = 0; i < count; i++) {
		const struct api_call *c = &calls[order[i]];

		out[order[i]] = RANGE_NONE;
		if (c->row == ID_NONE)
			continue;
		for (; next < f->count && begins_before(&f->ranges[next], c); next++) {
			const struct range *r = &f->ranges[next];

			if (next && f->ranges[next - 1].thread != r->thread)
				open_ranges_clear(&open);
			open_ranges_enter(
				&open, (struct open_range){r->start_ns, r->end_ns, (uint32_t)next});
		}
		if (next && f->ranges[next - 1].thread == c->thread)
			out[order[i]] =
				open_ranges_find_latest(&open, c->start_ns, api_call_end(c));
	}
	open_ranges_free(&open);
	free(order);
}
