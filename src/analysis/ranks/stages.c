/* How well is the communication of each rank's stages hidden behind compute? */
#include "analysis/cell_values.h"
#include "analysis/ranks/stage_times.h"
#include "analysis/time_table.h"
#include "base/mem.h"

#include <stdlib.h>

#define NO_STAGE   "(none)"
#define ALL_STAGES "(all)"

/* What all three tables say of communication. */
#define TIME_COLUMNS                                                                         \
	{"exposed_ns", "Exposed", UNIT_NS, 0, NULL, SHOW},                                   \
		{"comm_ns", "Comm", UNIT_NS, 0, NULL, SHOW},                                 \
		{"overlap_pct", "Overlap %", UNIT_PERCENT, 0, NULL, SHOW},                   \
		{"overlap_min_pct", "Min overlap %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED}, \
		{"overlap_max_pct", "Max overlap %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED}, \
		{"barrier_ns", "Barrier", UNIT_NS, 0, NULL, SHOW},                           \
		{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW},                           \
		{"barriers", "Barriers", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},                 \
		{"exposed_sum_ns", "Exposed sum", UNIT_NS, 0, NULL, SHOW_IF_ROOM},           \
	{                                                                                    \
		"comm_sum_ns", "Comm sum", UNIT_NS, 0, NULL, SHOW_IF_ROOM                    \
	}

static const struct column stage_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pp", "PP", UNIT_NAME, 0, NULL, SHOW},
	{"stage", "Stage", UNIT_NAME, 0, "stage:", SHOW},
	TIME_COLUMNS,
	{"pid", "PID", UNIT_ID, 0, NULL, MACHINE_ONLY},
	{"window_start_ns", "Window from", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"window_end_ns", "Window to", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column all_columns[] = {
	{"stage", "Stage", UNIT_NAME, 0, "stage:", SHOW},
	TIME_COLUMNS,
};

static const struct column rank_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, "rank:", SHOW},
	{"pp", "PP", UNIT_NAME, 0, NULL, SHOW},
	{"compute_ns", "Compute", UNIT_NS, 0, NULL, SHOW},
	TIME_COLUMNS,
	{"window_ns", "Window", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"pid", "PID", UNIT_ID, 0, NULL, MACHINE_ONLY},
};

static struct cell extreme_cell(double pct)
{
	return pct < 0 ? cell_null() : cell_real(pct);
}

static void add_time(struct rows *rows, const struct stage_time *t)
{
	rows_add(rows, cell_int(t->exposed_ns));
	rows_add(rows, cell_int(t->comm_ns));
	rows_add(rows, pct_cell(sat_sub(t->comm_ns, t->exposed_ns), t->comm_ns));
	rows_add(rows, extreme_cell(t->overlap_min));
	rows_add(rows, extreme_cell(t->overlap_max));
	rows_add(rows, cell_int(t->barrier_ns));
	rows_add(rows, cell_int((int64_t)t->kernels));
	rows_add(rows, cell_int((int64_t)t->barriers));
	rows_add(rows, cell_int(t->exposed_sum_ns));
	rows_add(rows, cell_int(t->comm_sum_ns));
}

static struct cell pp_cell(struct report *r, const struct rank *rank)
{
	const struct mesh_place *pp = &rank->setup.mesh[MESH_PP];

	return pp->known ? cell_text(arena_printf(&r->arena, "%u/%u", pp->rank, pp->size))
			 : cell_null();
}

static struct cell pid_of(const struct rank_study *s, const struct rank *rank)
{
	return cell_int(process_pid(s->trace->process_keys.keys[rank->process]));
}

static struct cell stage_cell(const struct rank_study *s, struct report *r, uint32_t label)
{
	return cell_str(arena_str(&r->arena, rank_study_label(s, label, NO_STAGE)));
}

static int add_stages(struct report *r, const struct row_choice *c, const struct rank_study *s,
		      const struct stage_times *st, struct err *e)
{
	struct rows *rows =
		report_new_rows(r, "stages", NULL, stage_columns, ARRAY_LEN(stage_columns));

	rows->table.kind = "stage";
	for (size_t i = 0; i < st->count; i++) {
		const struct stage_time *t = &st->items[i];
		const struct rank *rank = &s->map.all[t->rank];
		struct span window;

		rank_window_bounds(&s->windows, t->rank, &window);
		rows_add(rows, cell_int(rank->number));
		rows_add(rows, pp_cell(r, rank));
		rows_add(rows, stage_cell(s, r, t->label));
		add_time(rows, t);
		rows_add(rows, pid_of(s, rank));
		rows_add(rows, cell_int(window.start_ns));
		rows_add(rows, cell_int(window.end_ns));
	}
	rows_hide_empty(rows);
	return rows_arrange(rows, c, "exposed_ns", e);
}

/* By rank: the union over the streams of each of its devices. */
static int64_t *compute_of_ranks(const struct rank_study *s)
{
	const struct rank_activity *a = &s->activity;
	int64_t *ns = mem_zalloc(s->map.count, sizeof(*ns));

	for (size_t i = 0; i < a->place_count; i++) {
		int64_t *of = &ns[a->places[i].rank];

		*of = sat_add(*of, cover_total(&a->places[i].compute));
	}
	return ns;
}

static struct rows *add_ranks(struct report *r, const struct row_choice *c,
			      const struct rank_study *s, const struct stage_times *st)
{
	struct rows *rows =
		report_new_rows(r, "ranks", "Rank balance", rank_columns, ARRAY_LEN(rank_columns));
	int64_t *compute_ns = compute_of_ranks(s);

	rows->table.kind = "rank";
	for (size_t i = 0; i < s->map.count; i++) {
		const struct rank *rank = &s->map.all[i];
		struct span window;

		if (!rank_window_bounds(&s->windows, i, &window))
			continue;
		rows_add(rows, cell_int(rank->number));
		rows_add(rows, pp_cell(r, rank));
		rows_add(rows, cell_int(compute_ns[i]));
		add_time(rows, &st->ranks[i]);
		rows_add(rows, cell_int(sat_sub(window.end_ns, window.start_ns)));
		rows_add(rows, pid_of(s, rank));
	}
	free(compute_ns);
	rows_hide_empty(rows);
	rows_arrange_also(rows, c, NULL);
	return rows;
}

/* The first row is all of it: of a rank, an instant that two stages share counts once. */
static void add_all(struct report *r, const struct row_choice *c, const struct rank_study *s,
		    const struct stage_times *st)
{
	struct rows *rows = report_new_rows(r, "all_ranks", "All ranks together", all_columns,
					    ARRAY_LEN(all_columns));

	rows->table.kind = "all_ranks";
	rows_add(rows, cell_text(ALL_STAGES));
	add_time(rows, &st->all);
	for (size_t i = 0; i < st->stage_count; i++) {
		rows_add(rows, stage_cell(s, r, st->stages[i].label));
		add_time(rows, &st->stages[i]);
	}
	rows_arrange_also(rows, c, "exposed_ns");
}

static void add_totals(struct report *r, const struct row_choice *c, const struct rank_study *s,
		       const struct stage_times *st)
{
	const struct rows *ranks = add_ranks(r, c, s, st);

	if (s->activity.comm_count && ranks->table.total_rows > 1)
		add_all(r, c, s, st);
}

static void tell(const struct rank_study *s, const struct stage_times *st, struct report *r)
{
	if (s->activity.comm_count && s->map.no_ranges)
		report_note(r, "the capture has no NVTX ranges to name stages: nsys profile "
			       "--trace=cuda,nvtx records them");
	else if (s->activity.comm_count && !s->markers.labels.count)
		report_note(r,
			    "no range around its launches matches a stage of the preset '%s': use "
			    "--preset FILE for other names",
			    s->preset.name);
	if (st->all.barriers && !st->all.kernels)
		report_note(r, "all communication ran on streams that also compute: it is a "
			       "barrier, and none of it could overlap");
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct rank_window_args *a = args;
	struct rank_study s;
	struct stage_times st;
	int result = rank_study_make(self, t, a, STUDY_STAGES, r, &s, e);

	if (result == 0) {
		stage_times_make(&s, &st);
		tell(&s, &st, r);
		result = add_stages(r, &a->table.rows, &s, &st, e);
		if (result == 0)
			add_totals(r, &a->table.rows, &s, &st);
		stage_times_free(&st);
	}
	rank_study_free(&s);
	return result;
}

const struct analysis analysis_stages = {
	.name = "stages",
	.title = "Communication of stages",
	.order = "exposed time",
	.summary = "exposed communication of each rank's stages, and rank balance",
	.detail = "A communication kernel is attributed to the stage of the innermost range that "
		  "was open at its launch and that the preset knows; a fused range counts as the "
		  "last stage in its name. Exposed communication is not overlapped by compute of "
		  "the same rank on the same device: over the union of a stage's kernels "
		  "(exposed_ns, comm_ns, overlap), and summed over kernels (the sums). Min and max "
		  "overlap are over kernels. Communication on a stream that also computes is a "
		  "barrier, never exposed. `gpuwhy window` shows the window; kernels are clipped "
		  "to it.\n\n" PRESET_HELP,
	.needs = NEEDS(TRACE_KERNELS),
	.options = &rank_window_options,
	.steps_by_rank = true,
	.run = run,
};
