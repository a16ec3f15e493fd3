/* Inside which range was each API call made? */
#include "base/mem.h"
#include "base/sort.h"
#include "trace/ranges.h"

#include <stdlib.h>

static uint32_t call_thread(const struct launches *l, const struct api_call *c)
{
	return l->origins[c->origin].thread;
}

/* Slots by thread and then by start of their call; those without a call come last. */
static uint32_t *order_calls(const struct launches *l)
{
	size_t count = l->slot_count;
	int64_t *key = mem_alloc(count, sizeof(*key));
	uint32_t *by_start, *order;

	for (size_t i = 0; i < count; i++)
		key[i] = l->calls[i].row == ID_NONE ? INT64_MAX : l->calls[i].start_ns;
	by_start = sort_new_order(key, count);
	/* Sorting is stable: sorted by thread, the calls of a thread stay in order of time. */
	for (size_t i = 0; i < count; i++) {
		const struct api_call *c = &l->calls[by_start[i]];

		key[i] = c->row == ID_NONE ? INT64_MAX : call_thread(l, c);
	}
	order = sort_new_order(key, count);
	for (size_t i = 0; i < count; i++)
		order[i] = by_start[order[i]];
	free(by_start);
	free(key);
	return order;
}

struct sweep {
	const struct range_forest *forest;
	struct open_ranges open;
	size_t next; /* range to be entered */
};

/* Enters the ranges that begin no later than the call. */
static void advance(struct sweep *s, uint32_t thread, int64_t start_ns)
{
	for (; s->next < s->forest->count; s->next++) {
		const struct range *r = &s->forest->ranges[s->next];

		if (r->thread > thread || (r->thread == thread && r->start_ns > start_ns))
			return;
		if (s->next && r[-1].thread != r->thread)
			open_ranges_clear(&s->open);
		open_ranges_enter(&s->open,
				  (struct open_range){r->start_ns, r->end_ns, (uint32_t)s->next});
	}
}

void range_forest_enclose(const struct range_forest *f, const struct launches *l, uint32_t *out)
{
	uint32_t *order = order_calls(l);
	struct sweep s = {.forest = f};

	for (size_t i = 0; i < l->slot_count; i++) {
		const struct api_call *c = &l->calls[order[i]];
		uint32_t thread;

		out[order[i]] = RANGE_NONE;
		if (c->row == ID_NONE)
			continue;
		thread = call_thread(l, c);
		advance(&s, thread, c->start_ns);
		if (s.next && f->ranges[s.next - 1].thread == thread)
			out[order[i]] =
				open_ranges_find_latest(&s.open, c->start_ns, api_call_end(c));
	}
	open_ranges_free(&s.open);
	free(order);
}
