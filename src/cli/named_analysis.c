/* What does an analysis say to somebody who knows its name and its parameters alone? */
#include "cli/named_analysis.h"

#include "report/present.h"

#include <string.h>

int named_analysis_set(struct invocation *inv, const char *name, const char *value, struct err *e)
{
	const struct option_parts parts = {.count = 1,
					   .all = {{inv->analysis->options, inv->asked}}};
	const struct option *opt = inv->asked ? parts_find(&parts, name, strlen(name)) : NULL;

	if (!opt) {
		err_set(e, ERR_USAGE, "%s has no parameter '%.80s'", inv->command, name);
		return err_hint(e, "gpuwhy %s --help lists them", inv->command);
	}
	if (opt->access != ACCESS_NONE) {
		err_set(e, ERR_USAGE, "%s names a file or a program: not from here", name);
		return err_hint(e, "a person may: gpuwhy %s TRACE --%s %s", inv->command, name,
				opt->value ? opt->value : "VALUE");
	}
	return group_set(inv->analysis->options, inv->asked, inv->command, name, value, e);
}

int named_analysis_run(struct invocation *inv, struct trace *t, struct err *e)
{
	const struct command *c = command_find(inv->command);
	int result;

	inv->trace = t;
	result = c && c->answer ? c->answer(inv, e)
				: analysis_run(inv->analysis, t, inv->asked, &inv->report, e);
	inv->trace = NULL;
	return result;
}

void named_analysis_head(struct report *r, const struct trace *t, const char *path)
{
	r->has_trace = true;
	r->trace = (struct report_trace){
		.path = path,
		.tool = t->meta.tool,
		.schema = t->meta.schema,
		.has_span = t->meta.has_span,
		.span_ns = t->meta.span_ns,
	};
}

int report_add_json(struct buf *b, const struct report *r, int result, const struct err *failure,
		    const struct style *style, struct err *e)
{
	struct sink to = buf_sink(b);

	if (result == 0)
		return present_report(&presenter_json, r, style, &to, e);
	return present_error(&presenter_json, r, failure, &to, e);
}
