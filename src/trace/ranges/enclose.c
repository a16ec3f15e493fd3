/* Inside which range was each API call made? */
#include "trace/ranges/ranges.h"

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
	struct call_order order;
	struct sweep s = {.forest = f};

	for (size_t i = 0; i < l->slot_count; i++)
		out[i] = RANGE_NONE;
	call_order_make(l, &order);
	for (size_t i = 0; i < order.begin[order.thread_count]; i++) {
		uint32_t number = order.numbers[i], thread;
		struct api_call c;

		if (number >= l->slot_count || !launches_slot_call(l, number, &c))
			continue;
		thread = launches_origin(l, &c).thread;
		advance(&s, thread, c.start_ns);
		if (s.next && f->ranges[s.next - 1].thread == thread)
			out[number] =
				open_ranges_find_latest(&s.open, c.start_ns, api_call_end(&c));
	}
	open_ranges_free(&s.open);
	call_order_free(&order);
}
