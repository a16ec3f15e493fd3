/* What holds the run up, what would it gain to fix it, and how? */
#include "analysis/explain.h"
#include "base/units.h"

static void add_heading(struct report *r, const struct explain *x, const struct params *p)
{
	struct buf b = {0};

	buf_adds(&b, "What to do next, from ");
	units_add_time(&b, x->timeline.from_ns);
	buf_adds(&b, " to ");
	units_add_time(&b, x->timeline.to_ns);
	if (x->steady.found)
		buf_adds(&b, ", the steady part");
	else if (!p->has_trim)
		buf_adds(&b, ", first to last GPU work");
	report_heading(r, "%s", b.s);
	buf_free(&b);
	if (x->steady.found)
		report_note(r, "The steady part is %s. --trim FROM TO asks about another.",
			    x->steady.how);
	r->has_window = true;
	r->window_start_ns = x->timeline.from_ns;
	r->window_end_ns = x->timeline.to_ns;
}

static size_t count_warnings(const struct explain *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->found_count; i++)
		n += finding_is_warning(&x->found[i]);
	return n;
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct explain x;

	(void)self;
	if (explain_make(&x, t, p, r, e) < 0)
		return -1;
	explain_gaps(&x);
	if (explain_launches(&x, e) < 0) {
		explain_free(&x);
		return -1;
	}
	explain_copies(&x);
	explain_kernels(&x);
	explain_devices(&x);
	explain_capture(&x);
	add_heading(r, &x, p);
	if (!count_warnings(&x))
		report_note(r, "Nothing here costs much: no warning.");
	explain_report(&x);
	explain_free(&x);
	return 0;
}

const struct analysis analysis_findings = {
	.name = "findings",
	.title = "What to do next",
	.summary = "ranked causes of lost time, what each costs, and what to do",
	.detail =
		"Causes are ranked by recoverable time: by how much the window would shrink "
		"without\n"
		"them, estimated on the timeline. Work on the host while the GPU is busy costs\n"
		"nothing and is no finding. Unless --trim says otherwise the answer is about the\n"
		"steady part of the run, where NVTX ranges show one.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID,
	.run = run,
};
