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

bool summary_says(const struct report *view, const char *note)
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

	if (window && !summary_says(view, window))
		report_note(view, "%s", window);
	for (size_t i = 1; i < r->block_count; i++) {
		if (r->blocks[i].kind == BLOCK_TABLE || r->blocks[i].kind == BLOCK_FINDING)
			break;
		if (r->blocks[i].kind == BLOCK_NOTE && !summary_says(view, r->blocks[i].text))
			report_note(view, "%s", r->blocks[i].text);
	}
}

/* What to do something about: what costs time, and what is wrong with the run or the capture. */
static bool is_action(const struct block *b)
{
	return b->kind == BLOCK_FINDING && b->finding->advice_count &&
	       (b->finding->recoverable_ns > 0 || b->finding->leads ||
		finding_is_warning(b->finding));
}

/* What the verdict is about, else what brings back the most; NULL: nothing brings any. */
static const struct finding *find_gain(const struct report *r, bool *ret_first)
{
	const struct finding *most = NULL;

	*ret_first = false;
	for (size_t i = 0; i < r->block_count; i++) {
		const struct finding *f = r->blocks[i].finding;

		if (r->blocks[i].kind != BLOCK_FINDING)
			continue;
		if (f->recoverable_ns > 0 && r->blocks[i].number == 1) {
			*ret_first = true;
			return f;
		}
		if (f->recoverable_ns > 0 && (!most || f->recoverable_ns > most->recoverable_ns))
			most = f;
	}
	return most;
}

void summary_add_gain(const struct parts *p, struct report *view)
{
	const struct report *findings = &p->all[PART_FINDINGS].report;
	bool first;
	const struct finding *f = find_gain(findings, &first);
	struct buf b = {0};

	if (f) {
		finding_add_gain(&b, f, view);
		report_note(view, "What it could gain: %s%s%s.",
			    first ? "" : "nothing by itself; the largest of the other findings, ",
			    buf_str(&b).s,
			    f->confidence == CONFIDENCE_LOW ? ", with low confidence" : "");
	} else if (findings->verdict && strcmp(findings->verdict, "no_gpu_work") == 0) {
		report_note(view, "What it could gain: unknown, no GPU work was recorded.");
	} else {
		report_note(view, "What it could gain: nothing that this trace shows: no cause "
				  "whose removal would clearly shorten the window.");
	}
	buf_free(&b);
}

const struct finding *summary_action(const struct parts *p, size_t n)
{
	const struct report *r = &p->all[PART_FINDINGS].report;
	size_t found = 0;

	for (size_t i = 0; i < r->block_count && n < ACTIONS; i++) {
		if (is_action(&r->blocks[i]) && found++ == n)
			return r->blocks[i].finding;
	}
	return NULL;
}

void summary_add_actions(const struct parts *p, struct report *view)
{
	const struct finding *f;
	size_t count = 0;

	report_heading(view, "What to do next");
	for (; (f = summary_action(p, count)); count++)
		report_action(view, f);
	if (!count)
		report_note(view, "No significant problem found.");
	else if (count > 1)
		report_note(view, "Gains overlap: do not add them.");
}

/* Each in a line. */
static void add_findings(const struct parts *p, struct report *view)
{
	const struct part *part = &p->all[PART_FINDINGS];

	report_heading(view, "%s", parts_section(PART_FINDINGS));
	if (summary_window(part))
		report_note(view, "Window: %s", summary_window(part));
	for (size_t i = 0; i < part->report.block_count; i++) {
		const struct finding *f = part->report.blocks[i].finding;
		struct buf cost = {0};

		if (part->report.blocks[i].kind != BLOCK_FINDING)
			continue;
		finding_add_cost(&cost, f);
		report_note(view, "- %s: %s%s%s", severity_name(f->severity), f->title,
			    cost.len ? ": " : "", buf_str(&cost).s);
		buf_free(&cost);
	}
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
	summary_add_actions(p, view);
	add_findings(p, view);
	summary_add_timings(p, view);
	parts_view_brief(p, view);
	summary_add_kernels(p, view);
	report_heading(view, "More");
	add_warnings(p, view);
	report_note(view, "report.html is the full report with charts; report.md has the same "
			  "content for a pull request; report.json and tables/ are for programs.");
	return summary_add_environment(p, view, e);
}
