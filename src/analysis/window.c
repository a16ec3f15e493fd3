/* Which part of the capture is the answer about? */
#include "analysis/window.h"

#include "base/buf.h"
#include "base/units.h"

bool window_length(const struct params *p, const struct trace *t, int64_t *ret_ns)
{
	*ret_ns = p->has_trim ? sat_sub(p->to_ns, p->from_ns) : t->meta.span_ns;
	return *ret_ns > 0 && (p->has_trim || t->meta.has_span);
}

static void add_filters(struct buf *heading, const struct params *p)
{
	if (p->has_device)
		buf_addf(heading, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(heading, ", process %u", p->pid);
}

static void add_window(struct buf *heading, const struct trace *t, const struct params *p)
{
	if (p->has_trim) {
		buf_adds(heading, ", from ");
		units_add_time(heading, p->from_ns);
		buf_adds(heading, " to ");
		units_add_time(heading, p->to_ns);
	} else if (t->meta.has_span) {
		buf_adds(heading, ", whole capture of ");
		units_add_ns(heading, (double)t->meta.span_ns);
	}
}

void window_report(struct report *r, const struct analysis *a, const struct trace *t,
		   const struct params *p)
{
	const char *order = p->sort ? p->sort : a->order;
	struct buf heading = {0};

	/* Without a trim everything counts, also what began before the capture or outlasted it. */
	r->has_window = p->has_trim;
	r->window_start_ns = p->from_ns;
	r->window_end_ns = p->to_ns;
	buf_addf(&heading, "%s%s%s", a->title, order ? " by " : "", order ? order : "");
	add_filters(&heading, p);
	add_window(&heading, t, p);
	report_heading(r, "%s", heading.s);
	buf_free(&heading);
}
