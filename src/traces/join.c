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
	return trace_join(ret, name.s, parts, t->count, e);
}
