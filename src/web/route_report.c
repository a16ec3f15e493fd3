/* GET /report: the page that `gpuwhy report` makes. */
#include "commands/report/report_parts.h"
#include "options/args.h"
#include "report/present.h"
#include "traces/traces.h"
#include "web/routes.h"

static int present(const struct site *s, const struct parts *p, struct reply *ret, struct err *e)
{
	struct report view = {.command = "report"};
	struct sink to = buf_sink(&ret->body);
	const struct style plain = {0};
	int result;

	route_set_head(s, &view, p->trace);
	parts_view_head(p, &view);
	result = parts_view_sections(p, &view, true, e);
	if (result == 0)
		result = present_report(&presenter_html, &view, &plain, &to, e);
	report_free(&view);
	return result;
}

/* The trace is opened anew: a report keeps of one what it needs, and not what the timeline does. */
static int make_page(const struct site *s, const struct capture *c, struct reply *ret,
		     struct err *e)
{
	struct report_args args = {0};
	struct parts parts = {0};
	struct trace *t = NULL;
	int result = capture_open(&t, c->trace->path, s->input, s->comm, e);

	args_init(&report_options, &args);
	args.scope = c->scope;
	if (result == 0) {
		trace_set_stop(t, site_is_given_up);
		result = parts_make(&parts, t, &args, e);
	}
	if (result == 0 && !parts.all[PART_FINDINGS].made)
		result = err_set(e, ERR_INPUT, "%s", parts.all[PART_FINDINGS].why_not);
	if (result == 0)
		result = present(s, &parts, ret, e);
	parts_free(&parts);
	args_free(&report_options, &args);
	trace_close(t);
	return result;
}

int route_report(struct site *s, const struct request *r, struct reply *ret, struct err *e)
{
	struct capture *c;

	if (route_find_capture(s, r, &c, e) < 0)
		return -1;
	ret->type = "text/html; charset=utf-8";
	return make_page(s, c, ret, e);
}
