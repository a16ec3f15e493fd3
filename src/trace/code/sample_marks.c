/* Which NVTX marks did the profiler make, not the program? */
#include "trace/code/sample_marks.h"

#include "trace/code/payload.h"
#include "trace/ranges/ranges.h"

/* Payloads may be left out of an export, and domains are named all the same. */
int sample_marks_find(struct sample_marks *m, struct trace *t, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_NAME) | COL_BIT(COL_THREAD) |
				 COL_BIT(COL_DOMAIN);
	const struct events *ev = &t->events[TRACE_NVTX];
	struct payload_layouts layouts;

	*m = (struct sample_marks){0};
	if (payload_layouts_read(t, &layouts, e) < 0)
		return -1;
	if (!layouts.named)
		return 0;
	if (trace_load(t, TRACE_NVTX, columns, e) < 0)
		return -1;
	if (ev->event_type && ev->name)
		nvtx_domains_find(&m->domains, t);
	return 0;
}

bool is_sample_mark(struct sample_marks *m, uint64_t row)
{
	const struct trace *t = m->domains.trace;
	uint32_t domain;

	if (!m->domains.names.count || t->events[TRACE_NVTX].event_type[row] != NVTX_MARK)
		return false;
	domain = nvtx_domain_name(&m->domains, row);
	return domain != IDMAP_NONE && payload_kind_of(trace_name(t, domain)) != PAYLOAD_KINDS;
}

void sample_marks_free(struct sample_marks *m)
{
	nvtx_domains_free(&m->domains);
}
