/* Which window is an answer about the GPUs' activity about? */
#include "analysis/gpu/time_window.h"

#include "base/buf.h"
#include "base/saturate.h"
#include "text/units.h"

void time_window_report(struct report *r, const struct analysis *a, const struct timeline *l,
			const struct scope *p)
{
	struct buf b = {0};

	r->has_window = true;
	r->window_start_ns = l->from_ns;
	r->window_end_ns = l->to_ns;
	buf_adds(&b, a->title);
	if (p->has_device)
		buf_addf(&b, ", device %u", p->device);
	if (p->has_pid)
		buf_addf(&b, ", process %u", p->pid);
	buf_adds(&b, ", ");
	units_add_ns(&b, (double)sat_sub(l->to_ns, l->from_ns));
	buf_adds(&b, p->has_trim ? " from " : " from the first GPU work at ");
	units_add_time(&b, l->from_ns);
	buf_adds(&b, p->has_trim ? " to " : " to the last at ");
	units_add_time(&b, l->to_ns);
	report_heading(r, "%s", b.s);
	buf_free(&b);
}

void time_window_warn(struct report *r, const struct op_faults *f)
{
	if (f->without_times)
		report_warning(r, "%llu GPU operations have no valid times and are left out",
			       (unsigned long long)f->without_times);
	if (f->backwards)
		report_warning(
			r, "%llu GPU operations end before they start and count with zero duration",
			(unsigned long long)f->backwards);
}
