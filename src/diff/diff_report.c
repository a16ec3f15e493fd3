/* What does a comparison say? */
#include "diff/diff_report.h"

#include "base/mem.h"
#include "diff/diff_findings.h"
#include "diff/diff_runs.h"
#include "diff/diff_views.h"
#include "diff/diff_words.h"
#include "diff/drift.h"
#include "report/kernel_name.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

static const struct column side_columns[] = {
	{"side", "Side", UNIT_NAME, 0, "", SHOW},
	{"runs", "Runs", UNIT_COUNT, 0, NULL, SHOW},
	{"steps", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"step_ns", "Mean step", UNIT_NS, 0, NULL, SHOW},
	{"total_ns", "All steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"weight", "Steps they stand for", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"warm_up_steps", "Warm-up cut", UNIT_COUNT, 0, NULL, SHOW},
	{"effective_steps", "Effective steps", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"kernels", "GPU ops a step", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"comm_hidden_pct", "Communication hidden", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"memory_bytes", "Peak memory", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"pauses", "Pauses left out", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"pauses_ns", "Time of pauses", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"kinds", "Kinds of steps", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"steps_by", "Steps told by", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"ranks", "Ranks a run", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"names", "Captures", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct column change_columns[] = {
	{"verdict", "Verdict", UNIT_NAME, 0, "", SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"change_pct", "Change %", UNIT_CHANGE, 0, NULL, SHOW},
	{"low_pct", "At least", UNIT_CHANGE, 0, NULL, SHOW},
	{"high_pct", "At most", UNIT_CHANGE, 0, NULL, SHOW},
	{"bound_pct", "At least, of few steps", UNIT_CHANGE, 0, NULL, SHOW},
	{"p", "p", UNIT_RATIO, 0, NULL, SHOW},
	{"tolerance_pct", "Tolerance", UNIT_PERCENT, 0, NULL, SHOW},
	{"least_detectable_pct", "Found with 80 % chance", UNIT_PERCENT, 0, NULL, SHOW},
	{"run_sd_pct", "Run-to-run spread", UNIT_PERCENT, 0, NULL, SHOW},
	{"spread_to_overturn_pct", "Spread that would overturn it", UNIT_PERCENT, 0, NULL, SHOW},
	{"spread_to_overturn_of_three_pct", "… as three runs tell it", UNIT_PERCENT, 0, NULL, SHOW},
	{"runs_to_settle", "Runs a side to settle it", UNIT_COUNT, 0, NULL, SHOW},
	{"settled_below_pct", "… if they differ by less than", UNIT_PERCENT, 0, NULL, SHOW},
	{"hodges_lehmann_pct", "Hodges–Lehmann", UNIT_CHANGE, 0, NULL, SHOW},
	{"driven_by_steps", "Driven by steps", UNIT_COUNT, 0, NULL, SHOW},
	{"drift_pct", "Unchanged kernels", UNIT_CHANGE, 0, NULL, SHOW},
	{"adjusted_pct", "Change without that", UNIT_CHANGE, 0, NULL, SHOW},
	{"mix_ns", "Mix of kinds of steps", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"structural", "Kernels came or went", UNIT_BOOL, 0, NULL, SHOW},
	{"method", "Method", UNIT_NAME, 0, NULL, SHOW},
	{"why", "Why", UNIT_NAME, 0, NULL, SHOW},
};

static struct cell real_or_null(double x)
{
	return isfinite(x) ? cell_real(x) : cell_null();
}

/* Columns in which no row has anything are for machines. */
static void hide_empty(struct rows *rows)
{
	const size_t count = rows->table.column_count;
	struct column *columns = arena_alloc(rows->arena, count, sizeof(*columns));

	memcpy(columns, rows->table.columns, count * sizeof(*columns));
	for (size_t c = 0; c < count; c++) {
		bool any = false;

		for (size_t i = c; i < rows->count; i += count)
			any = any || rows->cells[i].kind != CELL_NULL;
		if (!any)
			columns[c].show = MACHINE_ONLY;
	}
	rows->table.columns = columns;
}

static struct cell percent(double share)
{
	return real_or_null(100 * share);
}

/* Of all runs. */
struct side_facts {
	uint64_t cold, pauses, calls;
	int64_t pauses_ns, memory_bytes;
	size_t kinds;
};

static struct side_facts sum_facts(const struct side_runs *s)
{
	struct side_facts f = {.memory_bytes = -1};

	for (size_t r = 0; r < s->run_count; r++) {
		const struct account *a = s->runs[r];

		f.cold += a->cold;
		f.pauses += a->pauses;
		f.pauses_ns = sat_add(f.pauses_ns, a->pauses_ns);
		f.kinds = a->kind_count > f.kinds ? a->kind_count : f.kinds;
		if (a->facts.memory_bytes > f.memory_bytes)
			f.memory_bytes = a->facts.memory_bytes;
		for (size_t k = 0; k < a->kind_count; k++)
			f.calls += a->kinds[k].calls;
	}
	return f;
}

static struct cell name_runs(struct report *r, const struct side_runs *s)
{
	struct buf b = {0};

	for (size_t i = 0; i < s->run_count; i++)
		buf_addf(&b, "%s%s", i ? ", " : "", s->runs[i]->name);
	return report_take_cell(r, &b);
}

static void add_sides(struct report *r, const struct diff *d)
{
	struct rows *rows = REPORT_ROWS(r, "sides", NULL, side_columns);

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];
		const struct side_facts f = sum_facts(s);
		const struct compare_side *t = side ? &d->time.after : &d->time.before;

		ROWS_ADD(rows, cell_text(side_names[side]), cell_int((int64_t)s->run_count),
			 cell_int((int64_t)s->steps), cell_real(side_step_ns(s, s->ns)),
			 cell_int(s->ns), cell_int((int64_t)s->weight), cell_int((int64_t)f.cold),
			 real_or_null(t->effective_steps),
			 cell_real((double)f.calls / (double)s->steps),
			 percent(side_comm_hidden(s)),
			 f.memory_bytes < 0 ? cell_null() : cell_int(f.memory_bytes),
			 cell_int((int64_t)f.pauses), cell_int(f.pauses_ns),
			 cell_int((int64_t)f.kinds), cell_text(s->runs[0]->how),
			 cell_int((int64_t)s->runs[0]->ranks), name_runs(r, s));
	}
	hide_empty(rows);
}

static void add_change(struct report *r, const struct diff *d, double tolerance)
{
	const struct comparison *t = &d->time;
	struct rows *rows = REPORT_ROWS(r, "change", NULL, change_columns);
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	const double delta = diff_step_ns(d, d->delta);

	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(verdict_keys[t->verdict]), cell_real(delta),
		 percent(delta / before), t->has_interval ? percent(t->low) : cell_null(),
		 t->has_interval ? percent(t->high) : cell_null(), percent(t->bound),
		 real_or_null(t->p), cell_real(100 * tolerance), percent(t->least_detectable),
		 t->run_sd_known ? percent(t->run_sd) : cell_null(),
		 percent(t->outlook.overturned_by), percent(t->outlook.overturned_by_three),
		 t->outlook.runs_to_settle ? cell_int((int64_t)t->outlook.runs_to_settle)
					   : cell_null(),
		 percent(t->outlook.settled_below), percent(t->hodges_lehmann),
		 t->driven_by ? cell_int((int64_t)t->driven_by) : cell_null(),
		 d->drift.kernels ? percent(d->drift.change) : cell_null(),
		 d->drift.kernels ? percent(d->drift.step_change) : cell_null(),
		 cell_real(diff_step_ns(d, d->mix)), cell_int(d->structural), cell_text(t->method),
		 cell_text(t->why));
}

static const struct column hindrance_columns[] = {
	{"what", "Not alike", UNIT_NAME, 0, "", SHOW},
	{"before", "Before", UNIT_NAME, 0, NULL, SHOW},
	{"after", "After", UNIT_NAME, 0, NULL, SHOW},
	{"means", "Which means", UNIT_NAME, 0, NULL, SHOW},
	{"forbids", "Forbids it", UNIT_BOOL, 0, NULL, MACHINE_ONLY},
};

static void add_hindrances(struct report *r, const struct diff *d)
{
	struct rows *rows;

	rows = REPORT_ROWS(r, "comparability", NULL, hindrance_columns);
	for (size_t i = 0; i < d->hindrances.count; i++) {
		const struct hindrance *h = &d->hindrances.all[i];

		ROWS_ADD(rows, cell_text(h->what), cell_text(h->value[BEFORE]),
			 cell_text(h->value[AFTER]), cell_text(h->means), cell_int(h->forbids));
	}
}

static const double shown_share = 0.0005; /* of a step: less is 0.0 % */

static const struct column view_columns[] = {
	{"group", "Group", UNIT_NAME, 0, "", SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"delta_pct", "Of the step", UNIT_CHANGE, 0, NULL, SHOW},
	{"before_sum_ns", "Before, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"after_sum_ns", "After, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"id", "Stable name", UNIT_NAME, 0, NULL, MACHINE_ONLY},
};

static const struct {
	enum diff_view view;
	const char *name, *title, *column;
	enum unit unit;
} views[] = {
	{VIEW_CLASS, "by_class", "Where the change of a step is", "Class", UNIT_NAME},
	{VIEW_RANGE, "by_range", "The change by range", "Range", UNIT_NAME},
	{VIEW_KERNEL, "by_kernel", "The change by kernel", "Kernel", UNIT_KERNEL},
	{VIEW_CATEGORY, "by_category", "The change by category", "Category", UNIT_NAME},
};

static void add_view_row(struct rows *rows, const struct diff *d, const struct view_row *v,
			 int64_t delta_ns, bool literal)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);

	rows_add(rows, literal ? cell_literal(str_of(v->words)) : cell_text(v->words));
	ROWS_ADD(rows, cell_real(side_step_ns(&d->sides.of[BEFORE], v->ns[0])),
		 cell_real(side_step_ns(&d->sides.of[AFTER], v->ns[1])), cell_int(delta_ns),
		 percent((double)delta_ns / before), cell_int(v->ns[BEFORE]),
		 cell_int(v->ns[AFTER]),
		 strcmp(v->key, v->words) == 0 ? cell_null() : cell_text(v->key));
}

/* The mix of kinds of steps is a row of its own, and the step is their sum. */
static void add_sums(struct rows *rows, const struct diff *d, int64_t mix_ns, int64_t sum_ns)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	const struct view_row step = {"step", "step", {d->sides.of[0].ns, d->sides.of[1].ns}, 0};

	if (d->mix)
		ROWS_ADD(rows, cell_literal(STR_LIT("another mix of steps")), cell_null(),
			 cell_null(), cell_int(mix_ns), percent((double)mix_ns / before),
			 cell_int(0), cell_int(0), cell_text("mix"));
	add_view_row(rows, d, &step, sum_ns, true);
}

/* Whether the rows that are left are one for people: beyond the limit, or 0.0 % of the step. */
static bool is_rest(const struct diff *d, const struct view *v, const int64_t *ns, size_t from,
		    uint64_t limit)
{
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);

	/* The largest comes first. */
	return limit && v->count - from > 1 &&
	       (from >= limit || fabs((double)ns[from]) < shown_share * before);
}

static void add_rest(struct rows *rows, const struct diff *d, const struct view *v,
		     const int64_t *ns, size_t from)
{
	struct view_row rest = {.key = "rest",
				.words = arena_printf(rows->arena, "%zu others", v->count - from)};
	int64_t sum = 0;

	for (size_t i = from; i < v->count; i++) {
		sum += ns[i];
		for (int side = 0; side < SIDES; side++)
			rest.ns[side] = sat_add(rest.ns[side], v->all[i].ns[side]);
	}
	add_view_row(rows, d, &rest, sum, true);
}

static int add_view(struct report *r, const struct diff *d, size_t which, uint64_t limit,
		    struct err *e)
{
	struct column *columns = arena_alloc(&r->arena, ARRAY_LEN(view_columns), sizeof(*columns));
	struct rows *rows;
	struct view v;
	exact_ns *units;
	int64_t *ns, sum = 0;

	if (view_make(&v, d, views[which].view, &r->arena, e) < 0)
		return -1;
	memcpy(columns, view_columns, sizeof(view_columns));
	columns[0].title = views[which].column;
	columns[0].unit = views[which].unit;
	rows = report_new_rows(r, views[which].name, views[which].title, columns,
			       ARRAY_LEN(view_columns));
	units = arena_alloc(&r->arena, v.count + 1, sizeof(*units));
	ns = arena_alloc(&r->arena, v.count + 1, sizeof(*ns));
	for (size_t i = 0; i < v.count; i++)
		units[i] = v.all[i].delta;
	units[v.count] = d->mix;
	view_round(d, units, v.count + 1, ns);
	for (size_t i = 0; i <= v.count; i++)
		sum += ns[i];
	for (size_t i = 0; i < v.count; i++) {
		if (is_rest(d, &v, ns, i, limit)) {
			add_rest(rows, d, &v, ns, i);
			break;
		}
		add_view_row(rows, d, &v.all[i], ns[i], strcmp(v.all[i].key, VIEW_IDLE) == 0);
	}
	add_sums(rows, d, ns[v.count], sum);
	return 0;
}

static const struct column row_columns[] = {
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"what", "What", UNIT_KERNEL, 0, "", SHOW},
	{"range", "Range", UNIT_NAME, 0, "range:", SHOW},
	{"match", "Match", UNIT_NAME, 0, NULL, SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"calls_part_ns", "By calls", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"duration_part_ns", "By duration", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"exposed_part_ns", "By exposure", UNIT_CHANGE_NS, 0, NULL, SHOW_IF_ROOM},
	{"p", "p", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"class", "Class", UNIT_NAME, 0, "class:", MACHINE_ONLY},
	{"blame", "Blame", UNIT_NAME, 0, "blame:", MACHINE_ONLY},
	{"sure", "Sure", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"name_before", "Before", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"name_after", "After", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"range_before", "Range before", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"grid_before", "Grid before", UNIT_NAME, 0, "before:", MACHINE_ONLY},
	{"grid_after", "Grid after", UNIT_NAME, 0, "after:", MACHINE_ONLY},
	{"leaves_before", "Leaves before", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"leaves_after", "Leaves after", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"calls_before", "Calls before", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"calls_after", "Calls after", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"before_sum_ns", "Before, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"after_sum_ns", "After, all steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"mix_ns", "By the mix", UNIT_CHANGE_NS, 0, NULL, MACHINE_ONLY},
	{"before_start_ns", "Longest before at", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"after_start_ns", "Longest after at", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static struct cell text_or_null(const struct leaf *l, const char *text)
{
	return l && text[0] ? cell_text(text) : cell_null();
}

/* All names of a block, so that a reader sees what became what. */
static struct cell names_of(struct report *r, const struct diff *d, const struct diff_row *row,
			    enum side side)
{
	struct buf b = {0};

	if (row->match->count[side] < 2)
		return row->leaf[side] ? text_or_null(row->leaf[side], row->leaf[side]->name)
				       : cell_null();
	for (size_t i = 0; i < row->match->count[side]; i++)
		buf_addf(&b, "%s%s", i ? "\n" : "",
			 d->sides.of[side].leaves[row->match->leaves[side][i]].key->name);
	return report_take_cell(r, &b);
}

static struct cell what_of(struct report *r, const struct diff_row *row)
{
	const struct leaf *l = diff_row_leaf(row);

	if (l->class == LEAF_IDLE)
		return cell_literal(
			str_of(arena_printf(&r->arena, "idle: %s", blame_names[l->blame])));
	if (row->match->how == MATCH_BLOCK) {
		struct buf b = {0};

		kernel_name_add_short(&b, str_of(row->leaf[BEFORE]->name));
		buf_adds(&b, " → ");
		kernel_name_add_short(&b, str_of(l->name));
		return cell_literal(str_of(report_take_text(r, &b)));
	}
	return l->class == LEAF_COPY ? cell_literal(str_of(l->name)) : cell_text(l->name);
}

static struct cell match_of(struct report *r, const struct diff_row *row)
{
	if (row->match->how == MATCH_BLOCK)
		return cell_text(arena_printf(&r->arena, "replaced %zu:%zu",
					      row->match->count[BEFORE], row->match->count[AFTER]));
	return cell_text(match_words[row->match->how]);
}

static struct cell part_cell(const struct diff_row *row, enum delta_part part)
{
	return row->has_parts ? cell_real(row->part_ns[part]) : cell_null();
}

/* Where the longest stretch of it begins, in the run that has it. */
static struct cell place_of(const struct diff *d, const struct diff_row *row, enum side side)
{
	return row->leaf[side] && !d->sides.of[side].runs[0]->is_kept
		       ? cell_int(row->sum[side].longest_at_ns)
		       : cell_null();
}

static void add_row(struct rows *rows, struct report *r, const struct diff *d,
		    const struct diff_row *row)
{
	const struct leaf *b = row->leaf[BEFORE], *a = row->leaf[AFTER], *l = a ? a : b;

	ROWS_ADD(rows, cell_real(diff_step_ns(d, row->delta)), what_of(r, row), cell_text(l->path),
		 match_of(r, row), cell_real(side_step_ns(&d->sides.of[BEFORE], row->sum[0].ns)),
		 cell_real(side_step_ns(&d->sides.of[AFTER], row->sum[1].ns)),
		 part_cell(row, PART_CALLS), part_cell(row, PART_DURATION),
		 part_cell(row, PART_EXPOSED), real_or_null(row->p),
		 cell_text(leaf_class_keys[l->class]),
		 l->class == LEAF_IDLE ? cell_text(blame_keys[l->blame]) : cell_null(),
		 cell_real(row->match->sure), names_of(r, d, row, BEFORE),
		 names_of(r, d, row, AFTER), b ? cell_text(b->path) : cell_null(),
		 text_or_null(b, b ? b->grid : ""), text_or_null(a, a ? a->grid : ""),
		 cell_int((int64_t)row->match->count[BEFORE]),
		 cell_int((int64_t)row->match->count[AFTER]),
		 cell_int((int64_t)row->sum[BEFORE].calls),
		 cell_int((int64_t)row->sum[AFTER].calls), cell_int(row->sum[BEFORE].ns),
		 cell_int(row->sum[AFTER].ns), cell_real(diff_step_ns(d, row->mix)),
		 place_of(d, row, BEFORE), place_of(d, row, AFTER));
}

static void add_rows(struct report *r, const struct diff *d, uint64_t limit)
{
	struct rows *rows = REPORT_ROWS(r, "rows", "What changed most", row_columns);
	uint64_t shown = 0;

	for (size_t i = 0; i < d->row_count && (!limit || shown < limit); i++) {
		/* What did not change at all is for machines. */
		if (limit && !d->rows[i].delta)
			break;
		add_row(rows, r, d, &d->rows[i]);
		shown++;
	}
	rows->table.total_rows = d->row_count;
	hide_empty(rows);
}

static const struct column kind_columns[] = {
	{"kind", "Kind of step", UNIT_ID, 0, "", SHOW},
	{"steps_before", "Steps before", UNIT_COUNT, 0, NULL, SHOW},
	{"steps_after", "Steps after", UNIT_COUNT, 0, NULL, SHOW},
	{"before_ns", "Mean before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "Mean after", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"launches", "Launches like kind", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"mode", "Mode", UNIT_ID, 0, NULL, MACHINE_ONLY},
};

static void add_kinds(struct report *r, const struct diff *d)
{
	struct rows *rows = REPORT_ROWS(r, "kinds", "Kinds of steps", kind_columns);

	for (size_t i = 0; i < d->sides.kind_count; i++) {
		const struct shared_kind *k = &d->sides.kinds[i];
		const double b = k->steps[0] ? (double)k->ns[0] / (double)k->steps[0] : NAN;
		const double a = k->steps[1] ? (double)k->ns[1] / (double)k->steps[1] : NAN;

		ROWS_ADD(rows, cell_int((int64_t)i + 1), cell_int((int64_t)k->count[BEFORE]),
			 cell_int((int64_t)k->count[AFTER]), real_or_null(b), real_or_null(a),
			 real_or_null(a - b), cell_int(k->launches), cell_int(k->mode));
	}
}

static const struct column host_columns[] = {
	{"range", "Range", UNIT_NAME, 0, "", SHOW},
	{"before_ns", "Before", UNIT_NS, 0, NULL, SHOW},
	{"after_ns", "After", UNIT_NS, 0, NULL, SHOW},
	{"delta_ns", "Change", UNIT_CHANGE_NS, 0, NULL, SHOW},
	{"wait_before_ns", "Waiting before", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wait_after_ns", "Waiting after", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

static void add_host(struct report *r, const struct diff *d, uint64_t limit)
{
	const struct sides *s = &d->sides;
	struct rows *rows = REPORT_ROWS(r, "host_ranges", "What the host does in a step, by range",
					host_columns);

	for (size_t i = 0; i < s->host_count && (!limit || i < limit); i++) {
		const struct side_host *h = &s->host[i];

		ROWS_ADD(rows, cell_text(h->path[0] ? h->path : "(the step itself)"),
			 cell_real(side_step_ns(&s->of[BEFORE], h->own_ns[BEFORE])),
			 cell_real(side_step_ns(&s->of[AFTER], h->own_ns[AFTER])),
			 cell_real(side_change_ns(s, h->own_ns)),
			 cell_real(side_step_ns(&s->of[BEFORE], h->wait_ns[BEFORE])),
			 cell_real(side_step_ns(&s->of[AFTER], h->wait_ns[AFTER])));
	}
	rows->table.total_rows = s->host_count;
}

static void note_ranks(struct report *r, const struct diff *d)
{
	const struct account *before = d->sides.of[BEFORE].runs[0];
	const struct account *after = d->sides.of[AFTER].runs[0];

	if (before->ranks > 1 || after->ranks > 1)
		report_note(r,
			    "Of a run's ranks the one is compared that bounds it: %s of %zu "
			    "before, %s of "
			    "%zu after.",
			    before->name, before->ranks, after->name, after->ranks);
}

static void add_notes(struct report *r, const struct diff *d)
{
	const struct moved_time moved = diff_find_moved(d);
	struct buf b = {0};

	note_ranks(r, d);
	if (d->sides.of[BEFORE].runs[0]->is_window)
		report_note(
			r,
			"No steps were found: each capture is one sample, its window; --marker or "
			"--range name the steps.");
	if (diff_add_new_kind(&b, d))
		report_note(r, "%s", b.s);
	for (int side = 0; side < SIDES; side++) {
		buf_clear(&b);
		if (diff_add_new_range(&b, d, (enum side)side))
			report_note(r, "%s", b.s);
	}
	buf_clear(&b);
	if (drift_is_clear(&d->drift)) {
		buf_addf(&b,
			 "Clock: %zu kernels that did not change take %.1f %% %s; without that the "
			 "step "
			 "would change by %+.1f %%.",
			 d->drift.kernels, 100 * fabs(d->drift.change),
			 d->drift.change > 0 ? "longer" : "less", 100 * d->drift.step_change);
		report_note(r, "%s", b.s);
	}
	buf_clear(&b);
	if (moved.path && moved.ns > 0.01 * side_step_ns(&d->sides.of[0], d->sides.of[0].ns)) {
		buf_adds(&b, "Only moved: ");
		units_add_ns(&b, moved.ns);
		buf_adds(&b, " of a step went from some rows of a range to others of it");
		if (moved.path[0])
			buf_addf(&b, ", most in `%s`", moved.path);
		report_note(r, "%s.", b.s);
	}
	buf_free(&b);
}

static void add_lead(struct report *r, const struct diff *d, double tolerance)
{
	struct buf b = {0};

	diff_add_verdict(&b, d, tolerance);
	r->verdict = verdict_keys[d->time.verdict];
	r->verdict_text = arena_strdup(&r->arena, b.s);
	report_lead(r, "%s", b.s);
	buf_clear(&b);
	diff_add_cause(&b, d);
	if (b.len)
		report_note(r, "Most of it: %s.", b.s);
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

static size_t view_index(enum diff_view view)
{
	for (size_t i = 0; i < ARRAY_LEN(views); i++) {
		if (views[i].view == view)
			return i;
	}
	return ARRAY_LEN(views);
}

/* The table that a view is about; a view of all: its rows. */
static int add_view_table(struct report *r, const struct diff *d, enum diff_view view,
			  uint64_t limit, struct err *e)
{
	switch (view) {
	case VIEW_HOST:
		add_host(r, d, limit);
		return 0;
	case VIEW_KIND:
		add_kinds(r, d);
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
	case VIEW_OVERVIEW:
	case VIEW_ROWS:
		add_rows(r, d, limit);
		return 0;
	default:
		return add_view(r, d, view_index(view), limit, e);
	}
}

/* The account by class and its largest rows; or the view that is asked for, in their place. */
static int add_screen(struct report *r, const struct diff *d, const struct diff_report_args *a,
		      struct err *e)
{
	if (a->view == VIEW_OVERVIEW && add_view_table(r, d, VIEW_CLASS, a->limit, e) < 0)
		return -1;
	if (add_view_table(r, d, a->view, a->limit, e) < 0)
		return -1;
	if (a->view != VIEW_KIND && d->sides.kind_count > 1)
		add_kinds(r, d);
	diff_note_findings(r, d);
	return 0;
}

/* All of these, but for what is on the screen already. */
static int add_tables(struct report *r, const struct diff *d, const enum diff_view *which,
		      size_t count, uint64_t limit, struct err *e)
{
	for (size_t i = 0; i < count; i++) {
		if (add_view_table(r, d, which[i], limit, e) < 0)
			return -1;
	}
	return 0;
}

enum { COMMENT_BYTES = 60000 }; /* that GitHub takes in any case */

static int add_folded(struct report *r, const struct diff *d, const struct diff_report_args *a,
		      struct err *e)
{
	static const enum diff_view more[] = {VIEW_RANGE, VIEW_KERNEL,	VIEW_CATEGORY,
					      VIEW_HOST,  VIEW_FINDING, VIEW_RUN};

	if (!a->folds)
		return 0;
	r->most_bytes = COMMENT_BYTES;
	report_heading(r, "More tables");
	r->blocks[r->block_count - 1].detail = true;
	return add_tables(r, d, more, ARRAY_LEN(more), a->limit, e);
}

static int add_all(struct report *r, const struct diff *d, const struct diff_report_args *a,
		   struct err *e)
{
	static const enum diff_view all[] = {VIEW_CLASS,    VIEW_RANGE, VIEW_KERNEL,
					     VIEW_CATEGORY, VIEW_ROWS,	VIEW_HOST,
					     VIEW_KIND,	    VIEW_RUN,	VIEW_STEP};

	add_change(r, d, a->tolerance);
	if (d->hindrances.count || !a->pictures)
		add_hindrances(r, d);
	if (add_tables(r, d, all, ARRAY_LEN(all), 0, e) < 0)
		return -1;
	diff_add_findings(r, d);
	return 0;
}

int diff_report(struct report *r, const struct diff *d, const struct diff_report_args *a,
		struct err *e)
{
	int result = 0;

	if (a->one_table)
		return add_view_table(r, d, a->view, 0, e);
	r->title = a->title;
	add_lead(r, d, a->tolerance);
	add_notes(r, d);
	if (a->pictures) {
		diff_note_findings(r, d);
		result = a->pictures(r, d, a->tolerance, e);
		report_heading(r, "Tables");
	}
	add_sides(r, d);
	if (result == 0 && !a->people)
		result = add_all(r, d, a, e);
	else if (result == 0) {
		if (d->hindrances.count)
			add_hindrances(r, d);
		result = add_screen(r, d, a, e);
	}
	add_next(r, a->next);
	return result == 0 ? add_folded(r, d, a, e) : -1;
}
