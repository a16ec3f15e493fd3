/* How are several captures asked as one? */
#include "base/buf.h"
#include "base/mem.h"
#include "trace/joined.h"
#include "traces/traces.h"

#include <stdlib.h>

static struct clock_shift clock_of(const struct capture *c)
{
	return (struct clock_shift){
		.by_ns = c->shift_ns, .drift = c->drift, .at_ns = span_middle(c->span)};
}

struct span capture_shared_span(const struct capture *c, struct span own)
{
	const struct clock_shift clock = clock_of(c);

	return (struct span){sat_add(own.start_ns, clock_shift_at(&clock, own.start_ns)),
			     sat_add(own.end_ns, clock_shift_at(&clock, own.end_ns))};
}

static int64_t own_time(const struct clock_shift *clock, int64_t shared_ns)
{
	int64_t own_ns = sat_sub(shared_ns, clock->by_ns);

	/* Clocks drift by a hundredth at most: each time it is a hundred times as near. */
	for (int i = 0; i < 6; i++)
		own_ns = sat_sub(shared_ns, clock_shift_at(clock, own_ns));
	return own_ns;
}

struct span capture_own_span(const struct capture *c, struct span shared)
{
	const struct clock_shift clock = clock_of(c);
	const struct span own = {own_time(&clock, shared.start_ns),
				 own_time(&clock, shared.end_ns)};

	return (struct span){own.start_ns > c->span.start_ns ? own.start_ns : c->span.start_ns,
			     own.end_ns < c->span.end_ns ? own.end_ns : c->span.end_ns};
}

/* What messages call all of them. */
static void add_name(struct buf *b, const struct traces *t)
{
	buf_addf(b, "%s and %zu more", t->all[0].trace->path, t->count - 1);
}

int traces_join(const struct traces *t, struct trace **ret, struct err *e)
{
	SCOPED struct export_part *parts = mem_zalloc(t->count, sizeof(*parts));
	SCOPED_BUF name = {0};

	for (size_t i = 0; i < t->count; i++) {
		const struct capture *c = &t->all[i];

		parts[i] = (struct export_part){.trace = c->trace,
						.clock = clock_of(c),
						.doubt_ns = sat_of_double(c->doubt_ns),
						.has_rank = c->has_rank,
						.rank = c->rank};
	}
	add_name(&name, t);
	if (trace_join(ret, name.s, parts, t->count, e) < 0)
		return -1;
	(*ret)->steps_in_doubt = t->steps_in_doubt;
	return 0;
}
