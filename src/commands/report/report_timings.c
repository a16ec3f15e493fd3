/* How long does each stage take, and what does it reach? */
#include "analysis/mfu/mfu_part.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "commands/report/report_summary.h"

static const struct column columns[] = {
	TIMING_COLUMNS,
	{"tokens_per_s", "Tokens/s", UNIT_RATIO, 0, NULL, SHOW},
	{"mfu_p50_pct", "Median MFU", UNIT_UTILISATION, 0, NULL, SHOW},
	{"mfu_pct", "MFU", UNIT_UTILISATION, 0, NULL, SHOW},
	{"hfu_pct", "HFU", UNIT_UTILISATION, 0, NULL, SHOW},
};

/* Stages as the two parts that know of them have them; either may be NULL. */
struct timing_tables {
	const struct table *timings, *mfu;
	struct report *view;
};

static struct cell keep(const struct timing_tables *s, struct cell c)
{
	if (c.kind == CELL_TEXT)
		c.s = arena_str(&s->view->arena, c.s);
	return c;
}

static struct cell timing(const struct timing_tables *s, uint64_t row, const char *key)
{
	return keep(s, table_cell(s->timings, row, key));
}

static struct cell mfu(const struct timing_tables *s, uint64_t row, const char *key)
{
	return keep(s, table_cell(s->mfu, row, key));
}

/* The row of a stage by its name; false: there is none. */
static bool find_stage(const struct table *t, struct str name, uint64_t *ret)
{
	for (uint64_t i = 0; t && i < t->rows; i++) {
		struct cell c = table_cell(t, i, "stage");

		*ret = i;
		if (c.kind == CELL_TEXT && str_eq(c.s, name))
			return true;
	}
	return false;
}

static void add_reached(struct rows *rows, const struct timing_tables *s, bool known, uint64_t row)
{
	static const char *const keys[] = {"tokens_per_s", "mfu_p50_pct", "mfu_pct", "hfu_pct"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		rows_add(rows, known ? mfu(s, row, keys[i]) : cell_null());
}

static void add_timed(struct rows *rows, const struct timing_tables *s, uint64_t row)
{
	static const char *const keys[] = {"stage",  "instances", "mean_ns",   "p50_ns",
					   "min_ns", "max_ns",	  "stddev_ns", "busy_pct"};
	struct cell name = timing(s, row, "stage");
	uint64_t other = 0;
	bool known = find_stage(s->mfu, name.s, &other);

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		rows_add(rows, timing(s, row, keys[i]));
	add_reached(rows, s, known, other);
}

static struct cell busy_share(const struct timing_tables *s, uint64_t row)
{
	struct cell busy = mfu(s, row, "busy_ns"), wall = mfu(s, row, "wall_ns");
	struct cell devices = mfu(s, row, "devices");
	double possible = wall.kind == CELL_INT && devices.kind == CELL_INT
				  ? (double)wall.i * (double)devices.i
				  : 0;

	return possible > 0 && busy.kind == CELL_INT ? cell_real(100 * (double)busy.i / possible)
						     : cell_null();
}

/* Of a single instance mfu leaves the spread out: it is its wall time. */
static void add_measured(struct rows *rows, const struct timing_tables *s, uint64_t row)
{
	static const char *const keys[] = {"wall_mean_ns", "wall_p50_ns", "wall_min_ns",
					   "wall_max_ns"};

	ROWS_ADD(rows, mfu(s, row, "stage"), mfu(s, row, "instances"));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct cell c = mfu(s, row, keys[i]);

		rows_add(rows, c.kind == CELL_NULL ? mfu(s, row, "wall_ns") : c);
	}
	ROWS_ADD(rows, mfu(s, row, "wall_stddev_ns"), busy_share(s, row));
	add_reached(rows, s, true, row);
}

/* What mfu measures beside them, steps or the whole window, comes last. */
static void add_table(const struct timing_tables *s)
{
	struct rows *rows = REPORT_ROWS(s->view, "summary_stages", NULL, columns);
	uint64_t ignored;

	rows->table.kind = "stage";
	for (uint64_t i = 0; s->timings && i < s->timings->rows; i++)
		add_timed(rows, s, i);
	for (uint64_t i = 0; s->mfu && i < s->mfu->rows; i++) {
		struct cell name = mfu(s, i, "stage");

		if (!find_stage(s->timings, name.s, &ignored))
			add_measured(rows, s, i);
	}
	rows_hide_empty(rows);
}

static void note_timings(const struct part *part, struct report *view)
{
	summary_note_window(part, view);
	if (part->made)
		return;
	if (part->why_not)
		report_note(view, "No phases or steps found: %s.", part->why_not);
	else
		report_note(view, "The GPU work of ranges was not analysed: --no-nvtx-kernel-map.");
}

static void note_reached(const struct parts *p, const struct table *timings, struct report *view)
{
	uint64_t ignored;

	if (p->all[PART_MFU].made) {
		report_note(view, "MFU is the FLOPs that the model needs, divided by wall time and "
				  "by the dense peak of the GPUs; report.md has the formula.");
		summary_note_window(&p->all[PART_MFU], view);
		return;
	}
	report_note(view,
		    "Tokens/s and MFU need the model: --model config.json --batch N --seq N "
		    "--new-tokens N, or --flops N %s --dtype TYPE.",
		    !timings					     ? "--per window"
		    : find_stage(timings, STR_LIT("step"), &ignored) ? "--per step"
								     : "--phase NAME");
}

void summary_add_timings(const struct parts *p, struct report *view)
{
	struct timing_tables s = {.timings = part_table(&p->all[PART_TIMINGS], "timings"),
				  .mfu = part_table(&p->all[PART_MFU], "mfu"),
				  .view = view};

	report_heading(view, "Phases and steps");
	note_timings(&p->all[PART_TIMINGS], view);
	if (s.timings || s.mfu)
		add_table(&s);
	note_reached(p, s.timings, view);
}
