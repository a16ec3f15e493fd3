/* What does somebody need to know who was not there? */
#include "commands/report/report_summary.h"

#include "base/mem.h"
#include "report/finding.h"

enum { ACTIONS = 3, WARNINGS = 4 };

/* The window that a part is about, in words: an analysis's heading ends with it. NULL: not made. */
static const char *summary_window(const struct part *part)
{
	const struct report *r = &part->report;
	const char *comma;

	if (!part->made || !r->block_count || r->blocks[0].kind != BLOCK_HEADING)
		return NULL;
	comma = strstr(r->blocks[0].text, ", ");
	return comma ? comma + 2 : NULL;
}

/* Two parts under one heading may say the same of what they share: what the window cuts. */
static bool is_said(const struct report *view, const char *note)
{
	for (size_t i = view->block_count; i > 0; i--) {
		const struct block *b = &view->blocks[i - 1];

		if (b->kind == BLOCK_HEADING)
			break;
		if (b->kind == BLOCK_NOTE && strcmp(b->text, note) == 0)
			return true;
	}
	return false;
}

void summary_note_window(const struct part *part, struct report *view)
{
	const struct report *r = &part->report;
	const char *window = summary_window(part) ? arena_printf(&view->arena, "Window: %s",
								 summary_window(part))
						  : NULL;

	if (window && !is_said(view, window))
		report_note(view, "%s", window);
	for (size_t i = 1; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE || r->blocks[i].kind == BLOCK_FINDING)
			break;
		if (r->blocks[i].kind == BLOCK_NOTE && !is_said(view, r->blocks[i].text))
			report_note(view, "%s", r->blocks[i].text);
	}
}

/* As they are ranked; findings that cost no time that could be won back are no actions. */
static const struct finding **list_actions(const struct report *r, struct arena *a, size_t *count)
{
	const struct finding **all = arena_alloc(a, r->block_count, sizeof(const struct finding *));

	*count = 0;
	for (size_t i = 0; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_FINDING && r->blocks[i].finding->recoverable_ns > 0)
			all[(*count)++] = r->blocks[i].finding;
	}
	return all;
}

static void add_action(struct report *view, const struct finding *f, size_t number)
{
	struct buf cost = {0};

	finding_add_cost(&cost, f);
	report_note(view, "%zu. %s: up to %s, confidence %s.%s%s%s", number, f->title, cost.s,
		    confidence_name(f->confidence), f->advice_count ? " To do: " : "",
		    f->advice_count ? f->advice[0] : "", f->advice_count ? "." : "");
	buf_free(&cost);
}

/* What is wrong with the run, or with the capture, and costs no time that could be told. */
static size_t add_timeless(struct report *view, const struct report *r)
{
	size_t count = 0;

	for (size_t i = 0; i < r->block_count; i++) {
		const struct finding *f = r->blocks[i].finding;

		if (r->blocks[i].kind != BLOCK_FINDING || f->recoverable_ns > 0 ||
		    !finding_is_warning(f))
			continue;
		report_note(view, "%s. To do: %s.", f->title,
			    f->advice_count ? f->advice[0] : "see report.md");
		count++;
	}
	return count;
}

static void summary_add_actions(const struct parts *p, struct report *view)
{
	const struct part *part = &p->all[PART_FINDINGS];
	const struct finding **all;
	size_t count, timeless;

	report_heading(view, "What to do next");
	summary_note_window(part, view);
	all = list_actions(&part->report, &view->arena, &count);
	for (size_t i = 0; i < count && i < ACTIONS; i++)
		add_action(view, all[i], i + 1);
	timeless = add_timeless(view, &part->report);
	if (!count)
		report_note(view,
			    "No significant problem found: this trace shows no cause whose removal "
			    "would clearly shorten the window%s.",
			    timeless ? "" : "; only faster kernels would");
	else if (count > 1)
		report_note(view, "Gains overlap: do not add them.");
}

int summary_add(const struct parts *p, struct report *view, struct err *e)
{
	if (summary_add_environment(p, view, e) < 0)
		return -1;
	summary_add_timings(p, view);
	summary_add_kernels(p, view);
	return 0;
}

static void add_warnings(const struct parts *p, struct report *view)
{
	struct strtab warnings;
	struct arena texts = {0};

	parts_warnings(p, &texts, &warnings);
	for (size_t i = 0; i < warnings.count && i < WARNINGS; i++)
		report_warning(view, "%s", warnings.items[i].s);
	if (warnings.count > WARNINGS)
		report_note(view, "report.md lists %zu more warnings.", warnings.count - WARNINGS);
	strtab_free(&warnings);
	arena_free(&texts);
}

int summary_view(const struct parts *p, struct report *view, struct err *e)
{
	view->title = arena_printf(&view->arena, "Summary: %s", str_last_part(view->trace.path));
	parts_view_verdict(p, view);
	if (summary_add(p, view, e) < 0)
		return -1;
	summary_add_actions(p, view);
	report_heading(view, "More");
	add_warnings(p, view);
	report_note(view, "report.html is the full report with charts; report.md has the same "
			  "content for a pull request; report.json and tables/ are for programs.");
	return 0;
}
