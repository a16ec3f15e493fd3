/* gpuwhy TRACE: what is this, and which kernels took its time? */
#include "cli/command.h"

#include "cli/output.h"

enum { TOP_KERNELS = 10 };

static int run(struct invocation *inv, struct err *e)
{
	const struct analysis *info = analysis_find("info", false);
	const struct analysis *kernels = analysis_find("kernels", false);
	struct params top = inv->options.params;

	if (!inv->options.limit_given)
		top.limit = TOP_KERNELS;
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(info, inv->trace, &inv->options.params, &inv->report, e) < 0)
		return -1;
	if (analysis_run(kernels, inv->trace, &top, &inv->report, e) < 0) {
		if (e->code != ERR_INPUT)
			return -1;
		report_warning(&inv->report, "%s (%s)", e->message, e->hint);
	}
	return output_report(&inv->report, presenter_find(invocation_format(inv)),
			     inv->options.output, inv->options.colour, e);
}

const struct command command_overview = {
	.name = "overview",
	.operand = "TRACE",
	.summary = "what a trace is and its top kernels; also plain `gpuwhy TRACE`",
	.accepts = PARAM_LIMIT | OPT_OUTPUT | OPT_TRACE,
	.run = run,
};
