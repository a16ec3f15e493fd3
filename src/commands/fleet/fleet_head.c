/* Which captures is an answer about a job made of? */
#include "commands/fleet/fleet.h"

#include <string.h>

/* From the first to the last of its ranks' windows. */
static struct span window_of(const struct part *p)
{
	struct span all = SPAN_NONE;

	for (size_t i = 0; i < p->member_count; i++)
		span_widen(&all, p->members[i].window);
	return all;
}

void fleet_add_head(struct report *r, const struct fleet_parts *p, const char *side)
{
	struct report_trace *all = arena_zalloc(&r->arena, r->trace_count + p->count, sizeof(*all));

	if (r->trace_count)
		memcpy(all, r->traces, r->trace_count * sizeof(*all));
	r->traces = all;
	for (size_t i = 0; i < p->count; i++) {
		const struct part *x = p->refs[i];
		const bool known = x->captured.start_ns <= x->captured.end_ns;
		const struct span window = window_of(x);

		r->traces[r->trace_count++] = (struct report_trace){
			.path = x->file,
			.tool = x->tool[0] ? x->tool : NULL,
			.schema = x->schema[0] ? x->schema : NULL,
			.has_span = known,
			.span_ns = known ? span_ns(x->captured) : 0,
			.side = side,
			.has_window = x->member_count > 0,
			.window_start_ns = window.start_ns,
			.window_end_ns = window.end_ns,
		};
	}
}

void fleet_count_losses(struct report *r, const struct fleet_parts *p)
{
	const double read = (double)p->count / (double)(p->count + p->loss_count);

	if (!p->loss_count)
		return;
	r->coverage = r->has_coverage && r->coverage < read ? r->coverage : read;
	r->has_coverage = true;
}
