/* How does one capture get a page of its own? */
#include "commands/report/report_page.h"

#include "base/mem.h"
#include "cli/output.h"
#include "commands/report/report_parts.h"

int report_view_write(const struct invocation *inv, const struct parts *p, report_view_add *add,
		      const char *format, const char *to, struct err *e)
{
	struct report view = {.command = "report", .has_trace = true, .trace = inv->report.trace};
	int result;

	/* Which step all of it is about. */
	for (size_t i = 0; i < inv->report.block_count; i++)
		report_note(&view, "%s", inv->report.blocks[i].text);
	result = add(p, &view, e);
	if (result == 0)
		result = output_report(&view, presenter_find(format), to, COLOUR_NEVER, e);
	report_free(&view);
	return result;
}

int report_page_add(const struct parts *p, struct report *view, struct err *e)
{
	parts_view_head(p, view);
	return parts_view_sections(p, view, true, e);
}

static int write_page(struct invocation *one, const char *to, struct err *e)
{
	struct report_args *a = one->args;
	struct parts parts;
	int result;

	if (invocation_settle_scope(one, &a->scope, e) < 0)
		return -1;
	result = parts_make(&parts, one->trace, a, e);
	if (result == 0 && !parts.all[PART_FINDINGS].made)
		result = err_set(e, ERR_INPUT, "%s", parts.all[PART_FINDINGS].why_not);
	if (result == 0)
		result = report_view_write(one, &parts, report_page_add, "html", to, e);
	parts_free(&parts);
	return result;
}

int report_page_write(const struct report_page *page, const char *to, struct err *e)
{
	struct invocation one;
	struct report_args *a;
	int result;

	invocation_init(&one, "report", command_find("report"), NULL);
	a = one.args;
	a->scope = page->scope;
	a->comm = page->comm;
	one.input = page->input;
	one.trace_path = page->trace;
	result = invocation_open_trace(&one, e);
	if (result == 0) {
		one.report.trace.path = str_last_part(page->trace);
		result = write_page(&one, to, e);
	}
	invocation_free(&one);
	mem_give_back();
	return result;
}
