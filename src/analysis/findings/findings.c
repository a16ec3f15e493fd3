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
	.summary = "ranked causes of lost time: cost, evidence, what to do",
	.detail = "Causes are ranked by severity, then by recoverable time: how much shorter the "
		  "window would be without them, estimated on the timeline. Host work while the "
		  "GPU is busy costs nothing and is not reported. The default window is the steady "
		  "window, if NVTX ranges show one; use --trim FROM TO to change it.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.options = &findings_options,
	.run = run,
};
