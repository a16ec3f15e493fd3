/* What do the tables of mfu say? */
#include "analysis/cell_values.h"
#include "analysis/mfu/mfu_answer.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <math.h>

static const struct column part_columns[] = {
	{"stage", "Phase", UNIT_NAME, 0, "", SHOW},
	{"instances", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"mfu_pct", "MFU", UNIT_UTILISATION, 0, NULL, SHOW},
	{"mfu_busy_pct", "MFU busy", UNIT_UTILISATION, 0, NULL, SHOW},
	{"mfu_p50_pct", "Median MFU", UNIT_UTILISATION, 0, NULL, SHOW_PREFERRED},
	{"hfu_pct", "HFU", UNIT_UTILISATION, 0, NULL, SHOW},
	{"hfu_busy_pct", "HFU busy", UNIT_UTILISATION, 0, NULL, SHOW_PREFERRED},
	{"flops_per_s", "FLOP/s", UNIT_FLOPS_PER_S, 0, NULL, SHOW},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"busy_ns", "GPU busy", UNIT_NS, 0, NULL, SHOW},
	{"tokens_per_s", "Tokens/s", UNIT_RATIO, 0, NULL, SHOW},
	{"flops_each", "FLOPs each", UNIT_FLOPS, 0, NULL, SHOW_PREFERRED},
	{"wall_mean_ns", "Mean wall time", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_min_ns", "Min", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_max_ns", "Max", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_stddev_ns", "StdDev", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"devices", "GPUs", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"peak_flops_per_s", "Peak", UNIT_FLOPS_PER_S, 0, NULL, MACHINE_ONLY},
	{"flops", "FLOPs", UNIT_FLOPS, 0, NULL, MACHINE_ONLY},
	{"hardware_flops", "Hardware FLOPs", UNIT_FLOPS, 0, NULL, MACHINE_ONLY},
	{"tokens", "Tokens", UNIT_RATIO, 0, NULL, MACHINE_ONLY},
};

static const struct column instance_columns[] = {
	{"instance", "Instance", UNIT_NAME, 0, "", SHOW},
	{"number", "No.", UNIT_ID, 0, "n:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"from_ns", "From", UNIT_TIME_NS, 0, NULL, SHOW},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"busy_ns", "GPU busy", UNIT_NS, 0, NULL, SHOW},
	{"flops_per_s", "FLOP/s", UNIT_FLOPS_PER_S, 0, NULL, SHOW},
	{"mfu_pct", "MFU", UNIT_UTILISATION, 0, NULL, SHOW},
	{"host_start_ns", "Host start", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"host_end_ns", "Host end", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"to_ns", "To", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column kernel_columns[] = {
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"flops", "FLOPs", UNIT_FLOPS, 0, NULL, SHOW},
	{"flops_each", "Each", UNIT_FLOPS, 0, NULL, SHOW_PREFERRED},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW},
	{"total_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"pct", "Share", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"measured_pct", "Shapes measured", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
};

static const struct column term_columns[] = {
	{"term", "Term", UNIT_NAME, 0, "", SHOW},
	{"flops", "FLOPs", UNIT_FLOPS, 0, NULL, SHOW},
	{"share_pct", "Share", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"how", "Formula", UNIT_NAME, 0, NULL, SHOW},
};

/* Percent of what could have been done; nothing where no time passed, or nobody knows the FLOPs. */
static struct cell utilisation(struct mfu_highest *highest, const char *figure, double flops,
			       double possible)
{
	const double pct = possible > 0 ? 100 * flops / possible : 0;

	if (pct > highest->pct)
		*highest = (struct mfu_highest){pct, figure};
	return possible > 0 && flops > 0 ? cell_real(pct) : cell_null();
}

static struct cell per_second(double x, int64_t ns)
{
	return ns > 0 && x > 0 ? cell_real(x / ((double)ns / 1e9)) : cell_null();
}

/* What one instance of the median length reaches. */
static struct cell median_cell(struct mfu_highest *highest, const struct mfu_row *row,
			       const struct mfu_peak *peak, const struct mfu_walls *w)
{
	const struct mfu_part *s = &row->part;

	/*
	 * No instance is in the middle of two. Processes may have devices of their own: what each
	 * has is not in the part's sum.
	 */
	if (s->count < 3 || s->processes != 1)
		return cell_null();
	return utilisation(highest, "median MFU", row->each, w->p50 / 1e9 * peak->flops_per_s);
}

static void add_spread(struct rows *rows, const struct mfu_part *s, const struct mfu_walls *w)
{
	const bool several = s->count > 1;

	rows_add(rows, several ? cell_real(w->mean) : cell_null());
	rows_add(rows, several ? cell_real(w->p50) : cell_null());
	rows_add(rows, several ? cell_int(w->min) : cell_null());
	rows_add(rows, several ? cell_int(w->max) : cell_null());
	rows_add(rows, several ? cell_real(w->stddev) : cell_null());
}

static void add_part(struct mfu_answer *a, struct rows *rows, size_t i)
{
	const struct mfu_row *row = &a->rows.rows[i];
	const struct mfu_part *s = &row->part;
	const struct mfu_peak *peak = &a->peaks[i];
	const double possible = (double)s->wall_ns / 1e9 * peak->flops_per_s;
	const bool hardware = a->rows.has_hardware;
	const double done = row->flops > 0 ? row->flops : row->hardware;
	const struct mfu_walls w = mfu_walls_of(s);
	struct mfu_highest *highest = &a->highest[i];

	rows_add(rows, cell_text(row->name));
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, utilisation(highest, "MFU", row->flops, possible));
	rows_add(rows, utilisation(highest, "MFU busy", row->flops, peak->busy_flops));
	rows_add(rows, median_cell(highest, row, peak, &w));
	rows_add(rows,
		 hardware ? utilisation(highest, "HFU", row->hardware, possible) : cell_null());
	rows_add(rows, hardware ? utilisation(highest, "HFU busy", row->hardware, peak->busy_flops)
				: cell_null());
	rows_add(rows, per_second(done, s->wall_ns));
	rows_add(rows, cell_int(s->wall_ns));
	rows_add(rows, cell_int(s->busy_ns));
	rows_add(rows, per_second(row->tokens, s->wall_ns));
	rows_add(rows, row->each > 0 ? cell_real(row->each) : cell_null());
	add_spread(rows, s, &w);
	rows_add(rows, cell_int((int64_t)s->device_count));
	rows_add(rows, cell_real(peak->flops_per_s));
	rows_add(rows, row->flops > 0 ? cell_real(row->flops) : cell_null());
	rows_add(rows, cell_real(row->hardware));
	rows_add(rows, row->tokens > 0 ? cell_real(row->tokens) : cell_null());
}

int mfu_add_parts(struct mfu_answer *a, struct err *e)
{
	struct rows *rows =
		report_new_rows(a->report, "mfu", NULL, part_columns, ARRAY_LEN(part_columns));

	rows->table.kind = "stage";
	for (size_t i = 0; i < a->rows.count; i++)
		add_part(a, rows, i);
	rows_hide_empty(rows);
	return rows_arrange(rows, a->sorted, NULL, e);
}

static void add_instance(struct mfu_answer *a, struct rows *rows, const struct mfu_instance *x)
{
	const struct mfu_row *row = &a->rows.rows[0];
	const int64_t wall_ns = sat_sub(x->to_ns, x->from_ns);
	const double peak = a->peaks[0].each * x->devices;

	rows_add(rows,
		 x->name.len ? cell_str(arena_str(&a->report->arena, x->name)) : cell_text("step"));
	rows_add(rows, cell_int((int64_t)x->number));
	rows_add(rows, process_pid_cell(a->trace, x->process));
	rows_add(rows, cell_int(x->from_ns));
	rows_add(rows, cell_int(wall_ns));
	rows_add(rows, cell_int(x->busy_ns));
	rows_add(rows, per_second(row->each, wall_ns));
	rows_add(rows, utilisation(&a->highest[0], "MFU of one instance", row->each,
				   (double)wall_ns / 1e9 * peak));
	rows_add(rows, cell_int(x->start_ns));
	rows_add(rows, cell_int(x->end_ns));
	rows_add(rows, cell_int(x->to_ns));
}

/* FLOPs that are given for all instances together say nothing of one. */
void mfu_add_instances(struct mfu_answer *a)
{
	const struct mfu_part *s = &a->rows.rows[0].part;
	struct rows *rows;

	if (!a->rows.of_instances || s->count < 2 || a->q->per == PER_WINDOW)
		return;
	rows = report_new_rows(a->report, "mfu_instances", "Each instance", instance_columns,
			       ARRAY_LEN(instance_columns));
	rows->table.kind = "instance";
	for (size_t i = 0; i < s->count; i++)
		add_instance(a, rows, &s->instances[i]);
	rows_arrange_also(rows, a->sorted, NULL);
}

static void add_kernel(struct rows *rows, const struct mfu_ncu *n, size_t group)
{
	const struct ncu_traced *t = ncu_join_traced(&n->study.join, group);
	const double each = mfu_ncu_each(n, group);

	if (!t || !t->count)
		return;
	rows_add(rows, cell_str(arena_str(rows->arena, t->name)));
	rows_add(rows, isfinite(each) ? cell_real(each * (double)t->count) : cell_null());
	rows_add(rows, isfinite(each) ? cell_real(each) : cell_null());
	rows_add(rows, cell_int((int64_t)t->count));
	rows_add(rows, cell_int(t->total_ns));
	rows_add(rows, pct_cell(t->total_ns, n->total_ns));
	rows_add(rows, ncu_grids_cell(&n->study, group));
}

void mfu_add_kernels(const struct mfu_answer *a)
{
	const struct mfu_ncu *n = &a->rows.ncu;
	struct rows *rows;

	if (!a->rows.has_ncu)
		return;
	rows = report_new_rows(a->report, "mfu_kernels", "FLOPs by kernel, as counted by ncu",
			       kernel_columns, ARRAY_LEN(kernel_columns));
	rows->table.kind = "kernel";
	for (size_t i = 0; i < n->study.groups.count; i++)
		add_kernel(rows, n, i);
	rows_arrange_also(rows, a->sorted, "flops");
}

static void add_term(struct rows *rows, const struct flops_term *t, double all)
{
	rows_add(rows, cell_text(t->name));
	rows_add(rows, cell_real(t->flops));
	rows_add(rows, t->is_again ? cell_null() : cell_real(100 * t->flops / all));
	rows_add(rows, cell_text(arena_strdup(rows->arena, t->how)));
}

void mfu_add_terms(const struct mfu_answer *a)
{
	struct arena *arena = &a->report->arena;

	for (size_t w = 0; w < a->rows.work_count; w++) {
		const struct model_flops *f = &a->rows.works[w];
		const char *name = a->rows.work_names[w];
		struct rows *rows =
			report_new_rows(a->report, arena_printf(arena, "flops_%s", name),
					arena_printf(arena, "FLOPs of one %s", name), term_columns,
					ARRAY_LEN(term_columns));

		rows->table.kind = "term";
		for (size_t i = 0; i < f->count; i++)
			add_term(rows, &f->terms[i], f->model);
	}
}
