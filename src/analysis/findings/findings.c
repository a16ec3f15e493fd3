/* What holds the run up, what would it gain to fix it, and how? */
#include "analysis/findings/explain.h"
#include "analysis/gpu/other_processes.h"

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct explain_args *a = args;
	struct explain x;
	int result;

	(void)self;
	if (explain_make(&x, t, a, r, e) < 0)
		return -1;
	result = explain_window(&x, "What to do next", e);
	if (result == 0)
		result = other_processes_report(r, t, &x.scope, &x.timeline, e);
	explain_report(&x);
	explain_free(&x);
	return result;
}

const struct analysis analysis_findings = {
	.name = "findings",
	.title = "What to do next",
	.summary = "ranked causes of lost time, what each costs, and what to do",
	.detail =
		"Causes are ranked by severity, then by recoverable time: by how much the window\n"
		"would shrink without them, estimated on the timeline. Work on the host while the\n"
		"GPU is busy costs nothing and is no finding. Unless --trim says otherwise the\n"
		"answer is about the steady part of the run, where NVTX ranges show one.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.options = &findings_options,
	.run = run,
};
