/* What are the two sides, how do they differ, and can they be compared? */
#include "base/mem.h"
#include "diff/tables/diff_words.h"
#include "diff/tables/tables.h"
#include "text/text.h"
#include "text/units.h"

#include <math.h>

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
	{"launches", "Launches a step", UNIT_RATIO, 0, NULL, SHOW_IF_ROOM},
	{"graph_launches", "Of these of graphs", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
	{"comm_hidden_pct", "Communication hidden", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"memory_bytes", "Peak memory", UNIT_BYTES, 0, NULL, SHOW_IF_ROOM},
	{"partial_steps", "Partial steps left out", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"pauses", "Pauses left out", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"pauses_ns", "Time of pauses", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"kinds", "Kinds of steps", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"steps_by", "Steps told by", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"device", "GPU compared", UNIT_ID, 0, NULL, MACHINE_ONLY},
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
	{"least_detectable_pct", "Found beyond the tolerance with 80 % chance", UNIT_PERCENT, 0,
	 NULL, SHOW},
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
	{"structural", "Kernels or graphs came or went", UNIT_BOOL, 0, NULL, SHOW},
	{"method", "Method", UNIT_NAME, 0, NULL, SHOW},
	{"why", "Why", UNIT_NAME, 0, NULL, SHOW},
};

enum { BRIEF_VALUE = 40 }; /* what a sentence has room for, twice */

/* Of all runs. */
struct side_facts {
	uint64_t cold, partial, pauses, calls;
	int64_t pauses_ns, memory_bytes;
	size_t kinds;
};

static struct side_facts sum_facts(const struct side_runs *s)
{
	struct side_facts f = {.memory_bytes = -1};

	for (size_t r = 0; r < s->run_count; r++) {
		const struct account *a = s->runs[r];

		f.cold += a->cold;
		f.partial += a->partial;
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

/* Of windows nobody wants to know how many steps they are. */
static const struct column *window_columns(struct arena *arena)
{
	struct column *columns = arena_alloc(arena, ARRAY_LEN(side_columns), sizeof(*columns));

	memcpy(columns, side_columns, sizeof(side_columns));
	for (size_t i = 0; i < ARRAY_LEN(side_columns); i++) {
		if (strcmp(columns[i].key, "step_ns") == 0)
			columns[i].title = "Window";
		else if (strcmp(columns[i].key, "kernels") == 0)
			columns[i].title = "GPU ops";
		else if (strcmp(columns[i].key, "launches") == 0)
			columns[i].title = "Launches";
		else if (str_ends(str_of(columns[i].key), "steps"))
			columns[i].show = MACHINE_ONLY;
	}
	return columns;
}

void diff_add_sides(struct report *r, const struct diff *d)
{
	const bool windows = d->sides.of[BEFORE].runs[0]->is_window;
	struct rows *rows = report_new_rows(r, "sides", NULL,
					    windows ? window_columns(&r->arena) : side_columns,
					    ARRAY_LEN(side_columns));

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *s = &d->sides.of[side];
		const struct side_facts f = sum_facts(s);
		const struct launch_rate l = side_launches(s);
		const struct compare_side *t = side ? &d->time.after : &d->time.before;

		ROWS_ADD(rows, cell_text(side_names[side]), cell_int((int64_t)s->run_count),
			 cell_int((int64_t)s->steps), cell_real(side_step_ns(s, s->ns)),
			 cell_int(s->ns), cell_int((int64_t)s->weight), cell_int((int64_t)f.cold),
			 cell_finite(t->effective_steps),
			 cell_real((double)f.calls / (double)s->steps),
			 l.is_known ? cell_real(l.calls) : cell_null(),
			 l.is_known ? cell_real(l.graphs) : cell_null(),
			 table_percent(side_comm_hidden(s)),
			 f.memory_bytes < 0 ? cell_null() : cell_int(f.memory_bytes),
			 cell_int((int64_t)f.partial), cell_int((int64_t)f.pauses),
			 cell_int(f.pauses_ns), cell_int((int64_t)f.kinds),
			 cell_text(s->runs[0]->how),
			 s->runs[0]->device < 0 ? cell_null() : cell_int(s->runs[0]->device),
			 cell_int((int64_t)s->runs[0]->ranks), name_runs(r, s));
	}
	table_hide_empty(rows);
}

void diff_add_changes(struct report *r, const struct diff *d, double tolerance)
{
	const struct comparison *t = &d->time;
	struct rows *rows = REPORT_ROWS(r, "change", NULL, change_columns);
	const double before = side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns);
	const double delta = diff_step_ns(d, d->delta);

	rows->table.facts = true;
	ROWS_ADD(rows, cell_text(verdict_keys[t->verdict]), cell_real(delta),
		 table_percent(delta / before),
		 t->has_interval ? table_percent(t->low) : cell_null(),
		 t->has_interval ? table_percent(t->high) : cell_null(), table_percent(t->bound),
		 cell_finite(t->p), cell_real(100 * tolerance), table_percent(t->least_detectable),
		 t->run_sd_known ? table_percent(t->run_sd) : cell_null(),
		 table_percent(t->outlook.overturned_by),
		 table_percent(t->outlook.overturned_by_three),
		 t->outlook.runs_to_settle ? cell_int((int64_t)t->outlook.runs_to_settle)
					   : cell_null(),
		 table_percent(t->outlook.settled_below), table_percent(t->hodges_lehmann),
		 t->driven_by ? cell_int((int64_t)t->driven_by) : cell_null(),
		 d->drift.kernels ? table_percent(d->drift.change) : cell_null(),
		 d->drift.kernels ? table_percent(d->drift.step_change) : cell_null(),
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

void diff_add_hindrances(struct report *r, const struct diff *d)
{
	struct rows *rows;

	rows = REPORT_ROWS(r, "comparability", NULL, hindrance_columns);
	for (size_t i = 0; i < d->hindrances.count; i++) {
		const struct hindrance *h = &d->hindrances.all[i];

		ROWS_ADD(rows, cell_text(h->what), cell_text(h->value[BEFORE]),
			 cell_text(h->value[AFTER]), cell_text(h->means), cell_int(h->forbids));
	}
}

static void add_value(struct buf *b, const struct hindrance *h, enum side side)
{
	text_add_elided(b, str_of(hindrance_value(h, side)), BRIEF_VALUE);
}

/* What it is about, and what it means. */
static void warn_of(struct report *r, const struct hindrance *h)
{
	SCOPED_BUF b = {0};

	buf_addf(&b, "%s: ", h->what);
	add_value(&b, h, BEFORE);
	buf_adds(&b, " before, ");
	add_value(&b, h, AFTER);
	report_warning(r, "%s after: %s", b.s, h->means);
}

/* Several that do not forbid anything are one: what each means, the table of them says. */
void diff_warn_unlike(struct report *r, const struct diff *d)
{
	const struct hindrances *all = &d->hindrances;
	size_t mild = 0;
	SCOPED_BUF b = {0};

	for (size_t i = 0; i < all->count; i++)
		mild += !all->all[i].forbids;
	for (size_t i = 0; i < all->count; i++) {
		const struct hindrance *h = &all->all[i];

		if (h->forbids || mild == 1) {
			warn_of(r, h);
			continue;
		}
		buf_addf(&b, "%s%s ", b.len ? "; " : "", h->what);
		add_value(&b, h, BEFORE);
		buf_adds(&b, " → ");
		add_value(&b, h, AFTER);
	}
	if (b.len)
		report_warning(r, "not alike: %s", b.s);
}

/* "60 steps of 2 runs → 60 of 2", "1 run → 1" */
static void add_steps(struct buf *b, const struct sides *s)
{
	const bool windows = s->of[BEFORE].runs[0]->is_window;

	for (int side = 0; side < SIDES; side++) {
		const struct side_runs *of = &s->of[side];

		buf_adds(b, side == AFTER ? " → " : "");
		if (!of->runs[0]->is_window)
			buf_addf(b, "%llu %sof ", (unsigned long long)of->steps,
				 side == AFTER && !windows ? ""
				 : of->steps == 1	   ? "step "
							   : "steps ");
		buf_addf(b, "%zu", of->run_count);
		if (side == BEFORE)
			buf_adds(b, of->run_count == 1 ? " run" : " runs");
	}
}

/* What else is measured and is not as it was. */
static void add_differences(struct buf *b, const struct diff *d, const struct side_facts f[SIDES])
{
	const struct side_runs *s = d->sides.of;
	const double before = (double)f[BEFORE].calls / (double)s[BEFORE].steps,
		     after = (double)f[AFTER].calls / (double)s[AFTER].steps;
	const double hidden[SIDES] = {100 * side_comm_hidden(&s[BEFORE]),
				      100 * side_comm_hidden(&s[AFTER])};

	if (lround(before) != lround(after))
		buf_addf(b, "; %.0f → %.0f GPU ops%s", before, after,
			 s[BEFORE].runs[0]->is_window ? "" : " a step");
	if (fabs(hidden[AFTER] - hidden[BEFORE]) >= 1)
		buf_addf(b, "; %.0f → %.0f %% of communication hidden", hidden[BEFORE],
			 hidden[AFTER]);
	if (f[BEFORE].memory_bytes < 0 || f[AFTER].memory_bytes < 0 ||
	    f[BEFORE].memory_bytes == f[AFTER].memory_bytes)
		return;
	buf_adds(b, "; peak memory ");
	units_add_bytes(b, (double)f[BEFORE].memory_bytes);
	buf_adds(b, " → ");
	units_add_bytes(b, (double)f[AFTER].memory_bytes);
}

static void add_count(struct buf *b, uint64_t n, const char *of)
{
	buf_addf(b, "%llu %s%s", (unsigned long long)n, of, n == 1 ? "" : "s");
}

static void add_left_out(struct buf *b, const struct side_facts *f)
{
	if (f->pauses) {
		add_count(b, f->pauses, "pause");
		buf_adds(b, " between steps, ");
		units_add_ns(b, (double)f->pauses_ns);
	}
	if (f->partial) {
		buf_adds(b, f->pauses ? ", and " : "");
		add_count(b, f->partial, "partial step");
	}
	if (!f->pauses && !f->partial)
		buf_adds(b, "nothing");
}

void diff_note_left_out(struct report *r, const struct diff *d)
{
	SCOPED_BUF b = {0};
	bool any = false;

	for (int side = 0; side < SIDES; side++) {
		const struct side_facts f = sum_facts(&d->sides.of[side]);

		buf_adds(&b, side == AFTER ? "; after: " : "Left out before: ");
		add_left_out(&b, &f);
		any |= f.pauses || f.partial;
	}
	if (any)
		report_note(r, "%s.", b.s);
}

/* What is compared is a part of what the program does: "prefill lies outside of the steps". */
static void add_outside(struct buf *b, const struct diff *d)
{
	for (int side = 0; side < SIDES; side++) {
		const struct account *a = d->sides.of[side].runs[0];

		if (!a->outside)
			continue;
		buf_addf(b, "; steps are %s, and %s lies outside: --phase %s compares it", a->how,
			 a->outside, a->outside);
		break;
	}
}

void diff_note_sides(struct report *r, const struct diff *d)
{
	const struct side_facts f[SIDES] = {sum_facts(&d->sides.of[BEFORE]),
					    sum_facts(&d->sides.of[AFTER])};
	SCOPED_BUF b = {0};

	buf_adds(&b, d->hindrances.count ? "Compared: " : "Comparable: ");
	add_steps(&b, &d->sides);
	if (f[BEFORE].cold + f[AFTER].cold)
		buf_addf(&b, " (warm-up cut: %llu, %llu)", (unsigned long long)f[BEFORE].cold,
			 (unsigned long long)f[AFTER].cold);
	add_differences(&b, d, f);
	add_outside(&b, d);
	if (d->sides.of[BEFORE].runs[0]->is_window)
		buf_adds(&b, "; windows without steps: --marker or --range name them");
	report_note(r, "%s.", b.s);
}
