/* What does an analysis say about what is on the screen? */
#include "traces/answer.h"

#include "base/mem.h"
#include "options/args.h"

#include <stdlib.h>

int answer_make(struct answer *ret, const struct capture *of, const char *analysis,
		const struct span *window, struct err *e)
{
	struct scope *scope;

	*ret = (struct answer){.analysis = analysis_find(analysis, false)};
	ret->args = mem_zalloc(1, ret->analysis->options->size);
	ret->report.command = analysis;
	args_init(ret->analysis->options, ret->args);
	scope = args_scope(ret->analysis->options, ret->args);
	if (scope)
		*scope = of->scope;
	if (scope && window)
		capture_set_window(of, *window, scope);
	return analysis_run(ret->analysis, of->trace, ret->args, &ret->report, e);
}

void answer_free(struct answer *a)
{
	report_free(&a->report);
	if (a->args)
		args_free(a->analysis->options, a->args);
	free(a->args);
	*a = (struct answer){0};
}

const char *answer_heading(const struct answer *a)
{
	for (size_t i = 0; i < a->report.block_count; i++) {
		if (a->report.blocks[i].kind == BLOCK_HEADING)
			return a->report.blocks[i].text;
	}
	return "";
}
