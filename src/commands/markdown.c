/* gpuwhy markdown: the tree of ranges as a nested list, for notes and pull requests. */
#include "cli/command.h"

#include "cli/output.h"

static int run(struct invocation *inv, struct err *e)
{
	inv->output.format = "markdown";
	invocation_default_limit(inv);
	if (invocation_open_trace(inv, e) < 0 ||
	    analysis_run(inv->analysis, inv->trace, inv->asked, &inv->report, e) < 0)
		return -1;
	return output_report(&inv->report, presenter_find("markdown"), inv->output.path,
			     COLOUR_NEVER, e);
}

const struct command command_markdown = {
	.name = "markdown",
	.operand = "TRACE",
	.summary = "the output of tree as a nested Markdown list",
	.example = "gpuwhy markdown trace.sqlite --depth 3 -o ranges.md",
	.analysis = "tree",
	.common = COMMON_TRACE | COMMON_FILE,
	.run = run,
};
