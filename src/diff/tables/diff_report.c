/* What does a comparison say? */
#include "diff/tables/diff_report.h"

#include "base/mem.h"
#include "diff/tables/diff_findings.h"
#include "diff/tables/diff_runs.h"
#include "diff/tables/diff_words.h"
#include "diff/tables/tables.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

/* How soon what is on one screen goes where that is too small; findings: diff_note_findings(). */
enum {
	SURE_YIELDS = 1,
	CHANGED_STEP_YIELDS = 2,
	MOVED_YIELDS = 3,
	CLOCK_YIELDS = 4,
	KINDS_YIELD = 8,
	SIDES_YIELD = 9,
};

enum { RANK_NAME = 30 }; /* two of these fit two lines with what is said of them */

/* Without that nobody knows what is compared: it is there on any screen. */
static void note_ranks(struct report *r, const struct diff *d)
{
	SCOPED_BUF b = {0};

	if (d->sides.of[BEFORE].runs[0]->ranks <= 1 && d->sides.of[AFTER].runs[0]->ranks <= 1)
		return;
	for (int side = 0; side < SIDES; side++) {
		const struct account *run = d->sides.of[side].runs[0];

		buf_adds(&b, side == AFTER ? ", " : "");
		text_add_elided(&b, str_of(run->name), RANK_NAME);
		buf_addf(&b, " of %zu %s", run->ranks, side_names[side]);
	}
	report_note(r, "The rank that bounds its run is compared: %s.", b.s);
}

/* Of several GPUs in one capture, too; that of a first run stands for its side. */
static void note_gpus(struct report *r, const struct diff *d)
{
	const struct account *before = d->sides.of[BEFORE].runs[0],
			     *after = d->sides.of[AFTER].runs[0];

	if ((before->facts.gpus <= 1 && after->facts.gpus <= 1) || before->device < 0 ||
	    after->device < 0)
		return;
	if (before->device == after->device)
		report_note(r,
			    "Of several GPUs, the one that bounds the steps is compared: GPU %d.",
			    (int)after->device);
	else
		report_note(r,
			    "Of several GPUs, the one that bounds the steps is compared: GPU %d "
			    "before, GPU %d after; --device N compares one.",
			    (int)before->device, (int)after->device);
}

static void note_sure(struct report *r, const struct diff *d)
{
	SCOPED_BUF b = {0};

	if (!diff_add_sure(&b, d))
		return;
	report_note(r, "%s", b.s);
	report_last_yields(r, SURE_YIELDS);
}

/* Kinds of steps and ranges that one side has alone. */
static void note_one_sided(struct report *r, const struct diff *d)
{
	SCOPED_BUF b = {0};

	if (diff_add_new_kind(&b, d)) {
		report_note(r, "%s", b.s);
		report_last_yields(r, CHANGED_STEP_YIELDS);
	}
	for (int side = 0; side < SIDES; side++) {
		buf_clear(&b);
		if (!diff_add_new_range(&b, d, (enum side)side))
			continue;
		report_note(r, "%s", b.s);
		report_last_yields(r, CHANGED_STEP_YIELDS);
	}
}

static void add_calls(struct buf *b, double calls)
{
	buf_addf(b, "%.*f", fabs(calls - round(calls)) < 0.05 ? 0 : 1, calls);
}

static const char *name_replays(double before, double after)
{
	if (after > before)
		return before > 0 ? "more graphs are replayed" : "a graph is replayed";
	return after > 0 ? "fewer graphs are replayed" : "no graph is replayed";
}

/* Kernels that are the same may be launched by other calls. */
static void note_launches(struct report *r, const struct diff *d)
{
	const struct launch_rate before = side_launches(&d->sides.of[BEFORE]),
				 after = side_launches(&d->sides.of[AFTER]);
	SCOPED_BUF b = {0};

	if (!d->relaunched)
		return;
	buf_addf(&b, "Launches %s: ", diff_of_what(d));
	add_calls(&b, before.calls);
	buf_adds(&b, " → ");
	add_calls(&b, after.calls);
	buf_adds(&b, ", of graphs ");
	add_calls(&b, before.graphs);
	buf_adds(&b, " → ");
	add_calls(&b, after.graphs);
	report_note(r, "%s: %s.", b.s, name_replays(before.graphs, after.graphs));
	report_last_yields(r, CHANGED_STEP_YIELDS);
}

static void note_clock(struct report *r, const struct diff *d)
{
	const bool of_some = drift_is_of_some_steps(&d->drift);

	if (!of_some && !drift_is_clear(&d->drift))
		return;
	report_note(
		r, "Clock%s: %zu unchanged kernels take %.1f %% %s%s; without that: %+.1f %% a %s.",
		of_some ? " of some steps, or another program on the GPU" : "", d->drift.kernels,
		100 * fabs(d->drift.change), d->drift.change > 0 ? "longer" : "less",
		of_some ? " in the mean" : "", 100 * d->drift.step_change, diff_what(d));
	report_last_yields(r, CLOCK_YIELDS);
}

static void note_moved(struct report *r, const struct diff *d)
{
	const struct moved_time moved = diff_find_moved(d);
	SCOPED_BUF b = {0};

	if (!moved.path || moved.ns <= 0.01 * side_step_ns(&d->sides.of[0], d->sides.of[0].ns))
		return;
	buf_adds(&b, "Time that only moved within ranges: ");
	units_add_ns(&b, moved.ns);
	buf_addf(&b, " %s", diff_of_what(d));
	if (moved.path[0]) {
		buf_adds(&b, ", most in ");
		diff_add_path(&b, moved.path);
	}
	report_note(r, "%s.", b.s);
	report_last_yields(r, MOVED_YIELDS);
}

static void add_notes(struct report *r, const struct diff *d)
{
	note_sure(r, d);
	note_ranks(r, d);
	note_gpus(r, d);
	diff_note_left_out(r, d);
	if (d->sides.of[BEFORE].runs[0]->is_window && !r->fits_screen)
		report_note(
			r,
			"No steps were found: each capture is one sample, its window; --marker or "
			"--range name the steps.");
	note_one_sided(r, d);
	note_launches(r, d);
	note_clock(r, d);
	note_moved(r, d);
}

static void add_lead(struct report *r, const struct diff *d, double tolerance)
{
	struct buf b = {0};

	diff_add_verdict(&b, d, tolerance);
	r->verdict = verdict_keys[d->time.verdict];
	r->verdict_text = arena_strdup(&r->arena, b.s);
	report_lead(r, "%s", b.s);
	buf_clear(&b);
	diff_add_cause(&b, d, tolerance);
	if (b.len)
		report_note(r, "%s.", b.s);
	buf_clear(&b);
	diff_add_why(&b, d, tolerance);
	report_note(r, "Why: %s.", b.s);
	buf_free(&b);
}

static const struct column next_columns[] = {
	{"command", "Next", UNIT_COMMAND, 0, "", SHOW},
};

static void add_next(struct report *r, const char *command)
{
	struct rows *rows;

	if (!command)
		return;
	rows = REPORT_ROWS(r, "next", NULL, next_columns);
	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(command));
}

/* The table that a view is about; a view of all: its rows. */
static int add_view_table(struct report *r, const struct diff *d, enum diff_view view,
			  uint64_t limit, bool people, struct err *e)
{
	switch (view) {
	case VIEW_HOST:
		diff_add_host(r, d, limit);
		return 0;
	case VIEW_KIND:
		diff_add_kinds(r, d);
		return 0;
	case VIEW_RUN:
		diff_add_runs(r, d);
		return 0;
	case VIEW_STEP:
		diff_add_steps(r, d);
		return 0;
	case VIEW_FINDING:
		diff_add_findings(r, d);
		return 0;
	case VIEW_RANK:
		diff_add_ranks(r, d, limit);
		return 0;
	case VIEW_COLLECTIVE:
		diff_add_collectives(r, d, limit);
		return 0;
	case VIEW_OVERVIEW:
	case VIEW_ROWS:
		diff_add_rows(r, d, limit, people);
		return 0;
	default:
		return diff_add_view(r, d, view, limit, people, e);
	}
}

/* The account by class and its largest rows; or the view that is asked for, in their place. What
 * was compared comes after what became of it: a terminal may have 24 lines. */
static int add_screen(struct report *r, const struct diff *d, const struct diff_report_args *a,
		      struct err *e)
{
	if (d->hindrances.count && !r->fits_screen)
		diff_add_hindrances(r, d);
	if (a->view == VIEW_OVERVIEW && add_view_table(r, d, VIEW_CLASS, a->limit, true, e) < 0)
		return -1;
	if (add_view_table(r, d, a->view, a->limit, true, e) < 0)
		return -1;
	diff_note_findings(r, d);
	if (a->view != VIEW_KIND && d->sides.kind_count > 1) {
		diff_add_kinds(r, d);
		report_last_yields(r, KINDS_YIELD);
	}
	diff_add_sides(r, d);
	report_last_yields(r, SIDES_YIELD);
	return 0;
}

/* All of these, but for what is on the screen already. */
static int add_tables(struct report *r, const struct diff *d, const enum diff_view *which,
		      size_t count, uint64_t limit, bool people, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (add_view_table(r, d, which[i], limit, people, e) < 0)
			return -1;
	}
	return 0;
}

static const enum diff_view waits[] = {VIEW_RANK, VIEW_COLLECTIVE};

static int add_folded(struct report *r, const struct diff *d, const struct diff_report_args *a,
		      struct err *e)
{
	static const enum diff_view more[] = {VIEW_RANGE, VIEW_KERNEL,	VIEW_CATEGORY,
					      VIEW_HOST,  VIEW_FINDING, VIEW_RUN};

	if (!a->folds)
		return 0;
	r->most_bytes = DIFF_COMMENT_BYTES;
	report_heading(r, "More tables");
	r->blocks[r->block_count - 1].detail = true;
	if (add_tables(r, d, more, ARRAY_LEN(more), a->limit, true, e) < 0)
		return -1;
	return diff_knows_waits(d) ? add_tables(r, d, waits, ARRAY_LEN(waits), a->limit, true, e)
				   : 0;
}

static int add_all(struct report *r, const struct diff *d, const struct diff_report_args *a,
		   struct err *e)
{
	static const enum diff_view all[] = {VIEW_CLASS,    VIEW_RANGE, VIEW_KERNEL,
					     VIEW_CATEGORY, VIEW_ROWS,	VIEW_HOST,
					     VIEW_KIND,	    VIEW_RUN,	VIEW_STEP};

	diff_add_changes(r, d, a->tolerance);
	if (d->hindrances.count || !a->pictures)
		diff_add_hindrances(r, d);
	if (add_tables(r, d, all, ARRAY_LEN(all), 0, a->pictures, e) < 0)
		return -1;
	diff_add_findings(r, d);
	/* Nobody looks at tables without rows. */
	if (a->pictures && !diff_knows_waits(d))
		return 0;
	return add_tables(r, d, waits, ARRAY_LEN(waits), 0, a->pictures, e);
}

int diff_report(struct report *r, const struct diff *d, const struct diff_report_args *a,
		struct err *e)
{
	int result = 0;

	if (a->one_table)
		return add_view_table(r, d, a->view, 0, false, e);
	r->title = a->title;
	add_lead(r, d, a->tolerance);
	if (r->fits_screen) {
		diff_warn_unlike(r, d);
		diff_note_sides(r, d);
	}
	add_notes(r, d);
	if (a->pictures) {
		diff_note_findings(r, d);
		result = a->pictures(r, d, a->tolerance, e);
		report_heading(r, "Tables");
	}
	if (!a->people)
		diff_add_sides(r, d);
	if (result == 0 && !a->people)
		result = add_all(r, d, a, e);
	else if (result == 0)
		result = add_screen(r, d, a, e);
	add_next(r, a->next);
	return result == 0 ? add_folded(r, d, a, e) : -1;
}
