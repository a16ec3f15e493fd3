/* Does a thread repeat one OS call alone, to the end of the capture? */
#include "analysis/doctor/host_loop.h"

enum { OFTEN = 10, LONG_NS = 2000000000 };

struct calls_of {
	const struct events *events;
	uint32_t thread;
};

static bool is_of(const struct calls_of *c, uint64_t row)
{
	return c->events->thread[row] == c->thread && c->events->start_ns[row] != INT_NONE;
}

/* The last call that is not called `except`; NAME_NONE: that is none's name. The count: none is. */
static uint64_t find_last(const struct calls_of *c, uint32_t except)
{
	const struct events *ev = c->events;
	uint64_t last = ev->count;

	for (uint64_t i = 0; i < ev->count; i++) {
		if (is_of(c, i) && (except == NAME_NONE || ev->name[i] != except) &&
		    (last == ev->count || ev->start_ns[i] >= ev->start_ns[last]))
			last = i;
	}
	return last;
}

/* All after the last call of another name have the same. */
static void sum_up(const struct calls_of *c, uint64_t last, uint64_t other, struct host_loop *ret)
{
	const struct events *ev = c->events;
	const int64_t after_ns = other < ev->count ? ev->start_ns[other] : INT_NONE;

	ret->name = ev->name[last];
	ret->from_ns = ret->to_ns = ev->start_ns[last];
	for (uint64_t i = 0; i < ev->count; i++) {
		if (!is_of(c, i) || ev->start_ns[i] <= after_ns)
			continue;
		ret->count++;
		if (ev->start_ns[i] < ret->from_ns)
			ret->from_ns = ev->start_ns[i];
	}
}

int host_loop_find(struct trace *t, uint64_t thread, struct host_loop *ret, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME);
	struct calls_of c = {.events = &t->events[TRACE_OSRT]};
	uint64_t last;
	int64_t ns;
	TRACE_LOCK_SCOPE(t); /* others may be numbering threads meanwhile */

	*ret = (struct host_loop){0};
	if (trace_load(t, TRACE_OSRT, columns, e) < 0)
		return -1;
	c.thread = idmap_get(&t->thread_keys.map, thread);
	if (!c.events->start_ns || !c.events->thread || !c.events->name || c.thread == IDMAP_NONE)
		return 0;
	last = find_last(&c, NAME_NONE);
	if (last == c.events->count || c.events->name[last] == NAME_NONE)
		return 0;
	sum_up(&c, last, find_last(&c, c.events->name[last]), ret);
	ns = sat_sub(ret->to_ns, ret->from_ns);
	if (ret->count < OFTEN || ns < LONG_NS || ns < t->meta.span_ns / 2)
		*ret = (struct host_loop){0};
	return 0;
}
