/* How much of what the GPUs can do did the model need? */
#include "analysis/cells.h"
#include "analysis/mfu_peak.h"
#include "analysis/mfu_rows.h"
#include "analysis/model_weights.h"
#include "analysis/summary.h"
#include "analysis/time_table.h"
#include "analysis/time_window.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>

/* An instance that takes as many times the median is none like the others. */
enum { WARM_UP_TIMES = 3 };

static const struct column stage_columns[] = {
	{"stage", "Stage", UNIT_NAME, 0, "", SHOW},
	{"instances", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"mfu_pct", "MFU", UNIT_PERCENT, 0, NULL, SHOW},
	{"mfu_busy_pct", "MFU busy", UNIT_PERCENT, 0, NULL, SHOW},
	{"mfu_p50_pct", "Median", UNIT_PERCENT, 0, NULL, SHOW_RATHER},
	{"hfu_pct", "HFU", UNIT_PERCENT, 0, NULL, SHOW},
	{"hfu_busy_pct", "HFU busy", UNIT_PERCENT, 0, NULL, SHOW_RATHER},
	{"tflop_per_s", "TFLOP/s", UNIT_RATIO, 0, NULL, SHOW},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"busy_ns", "GPU busy", UNIT_NS, 0, NULL, SHOW},
	{"tokens_per_s", "Tokens/s", UNIT_RATIO, 0, NULL, SHOW},
	{"tflop_each", "TFLOP each", UNIT_RATIO, 0, NULL, SHOW_RATHER},
	{"wall_mean_ns", "Mean wall", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_p50_ns", "p50", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_min_ns", "Min", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_max_ns", "Max", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"wall_stddev_ns", "StdDev", UNIT_NS, 0, NULL, MACHINES_ONLY},
	{"devices", "GPUs", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"peak_tflop_per_s", "Peak", UNIT_RATIO, 0, NULL, MACHINES_ONLY},
	{"flops", "FLOPs", UNIT_RATIO, 0, NULL, MACHINES_ONLY},
	{"hardware_flops", "Hardware FLOPs", UNIT_RATIO, 0, NULL, MACHINES_ONLY},
	{"tokens", "Tokens", UNIT_RATIO, 0, NULL, MACHINES_ONLY},
};

static const struct column instance_columns[] = {
	{"instance", "Instance", UNIT_NAME, 0, "", SHOW},
	{"number", "No.", UNIT_ID, 0, "n:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW_IF_ROOM},
	{"from_ns", "From", UNIT_TIME_NS, 0, NULL, SHOW},
	{"wall_ns", "Wall", UNIT_NS, 0, NULL, SHOW},
	{"busy_ns", "GPU busy", UNIT_NS, 0, NULL, SHOW},
	{"tflop_per_s", "TFLOP/s", UNIT_RATIO, 0, NULL, SHOW},
	{"mfu_pct", "MFU", UNIT_PERCENT, 0, NULL, SHOW},
	{"host_start_ns", "Host start", UNIT_TIME_NS, 0, NULL, MACHINES_ONLY},
	{"host_end_ns", "Host end", UNIT_TIME_NS, 0, NULL, MACHINES_ONLY},
	{"to_ns", "To", UNIT_TIME_NS, 0, NULL, MACHINES_ONLY},
};

static const struct column term_columns[] = {
	{"term", "Term", UNIT_NAME, 0, "", SHOW},
	{"tflop", "TFLOP", UNIT_RATIO, 0, NULL, SHOW},
	{"share_pct", "Share", UNIT_PERCENT, 0, NULL, MACHINES_ONLY},
	{"how", "Formula", UNIT_NAME, 0, NULL, SHOW},
	{"flops", "FLOPs", UNIT_RATIO, 0, NULL, MACHINES_ONLY},
};

struct answer {
	const struct mfu_question *q;
	const struct params *p;
	struct trace *trace;
	struct report *report;
	struct mfu_rows rows;
	struct machine machine;
	struct mfu_peak peaks[MFU_ROWS];
	double highest; /* utilisation met */
};

/* The own times of a stage's instances, in words of a table. */
struct walls {
	double mean, p50, stddev;
	int64_t min, max, low_p50; /* low: of two in the middle the shorter */
};

static struct walls walls_of(const struct mfu_stage *s)
{
	int64_t *ns = mem_alloc(s->count, sizeof(*ns)), *scratch = mem_alloc(s->count, sizeof(*ns));
	double sum = 0, squares = 0;
	struct walls w = {0};

	for (size_t i = 0; i < s->count; i++) {
		ns[i] = sat_sub(s->instances[i].to_ns, s->instances[i].from_ns);
		sum += (double)ns[i];
	}
	sort_i64(ns, scratch, s->count);
	w.mean = sum / (double)s->count;
	for (size_t i = 0; i < s->count; i++)
		squares += ((double)ns[i] - w.mean) * ((double)ns[i] - w.mean);
	w.min = ns[0];
	w.max = ns[s->count - 1];
	w.low_p50 = ns[(s->count - 1) / 2];
	w.p50 = ((double)ns[(s->count - 1) / 2] + (double)ns[s->count / 2]) / 2;
	w.stddev = s->count > 1 ? sqrt(squares / (double)(s->count - 1)) : 0;
	free(ns);
	free(scratch);
	return w;
}

/* Percent of what could have been done; nothing where no time passed. */
static struct cell utilisation(struct answer *a, double flops, double possible)
{
	double pct = possible > 0 ? 100 * flops / possible : 0;

	if (pct > a->highest)
		a->highest = pct;
	return possible > 0 ? cell_real(pct) : cell_null();
}

static struct cell per_second(double x, int64_t ns)
{
	return ns > 0 && x > 0 ? cell_real(x / ((double)ns / 1e9)) : cell_null();
}

/* What one instance of the median length reaches. */
static struct cell median_cell(const struct mfu_row *row, const struct mfu_peak *peak,
			       const struct walls *w)
{
	const struct mfu_stage *s = &row->stage;

	/* Processes may have devices of their own: what each has is not in the stage's sum. */
	if (s->count < 2 || s->processes != 1 || w->p50 <= 0 || row->each <= 0 ||
	    peak->flops_per_s <= 0)
		return cell_null();
	return cell_real(100 * row->each / (w->p50 / 1e9 * peak->flops_per_s));
}

static void add_spread(struct rows *rows, const struct mfu_stage *s, const struct walls *w)
{
	const bool several = s->count > 1;

	rows_add(rows, several ? cell_real(w->mean) : cell_null());
	rows_add(rows, several ? cell_real(w->p50) : cell_null());
	rows_add(rows, several ? cell_int(w->min) : cell_null());
	rows_add(rows, several ? cell_int(w->max) : cell_null());
	rows_add(rows, several ? cell_real(w->stddev) : cell_null());
}

static void add_stage(struct answer *a, struct rows *rows, size_t i)
{
	const struct mfu_row *row = &a->rows.rows[i];
	const struct mfu_stage *s = &row->stage;
	const struct mfu_peak *peak = &a->peaks[i];
	const double possible = (double)s->wall_ns / 1e9 * peak->flops_per_s;
	const bool hardware = a->rows.has_hardware;
	const struct walls w = walls_of(s);

	rows_add(rows, cell_text(row->name));
	rows_add(rows, cell_int((int64_t)s->count));
	rows_add(rows, utilisation(a, row->flops, possible));
	rows_add(rows, utilisation(a, row->flops, peak->busy_flops));
	rows_add(rows, median_cell(row, peak, &w));
	rows_add(rows, hardware ? utilisation(a, row->hardware, possible) : cell_null());
	rows_add(rows, hardware ? utilisation(a, row->hardware, peak->busy_flops) : cell_null());
	rows_add(rows, per_second(row->flops / 1e12, s->wall_ns));
	rows_add(rows, cell_int(s->wall_ns));
	rows_add(rows, cell_int(s->busy_ns));
	rows_add(rows, per_second(row->tokens, s->wall_ns));
	rows_add(rows, row->each > 0 ? cell_real(row->each / 1e12) : cell_null());
	add_spread(rows, s, &w);
	rows_add(rows, cell_int((int64_t)s->device_count));
	rows_add(rows, cell_real(peak->flops_per_s / 1e12));
	rows_add(rows, cell_real(row->flops));
	rows_add(rows, cell_real(row->hardware));
	rows_add(rows, row->tokens > 0 ? cell_real(row->tokens) : cell_null());
}

static int add_stages(struct answer *a, struct err *e)
{
	struct rows *rows =
		report_new_rows(a->report, "mfu", NULL, stage_columns, ARRAY_LEN(stage_columns));

	rows->table.kind = "stage";
	for (size_t i = 0; i < a->rows.count; i++)
		add_stage(a, rows, i);
	rows_hide_empty(rows);
	return rows_arrange(rows, a->p, NULL, e);
}

static void add_instance(struct answer *a, struct rows *rows, const struct mfu_instance *x)
{
	const struct mfu_row *row = &a->rows.rows[0];
	const struct trace *t = a->trace;
	const int64_t wall_ns = sat_sub(x->to_ns, x->from_ns);
	const double peak = a->peaks[0].each * x->devices;

	rows_add(rows,
		 x->name.len ? cell_str(arena_str(&a->report->arena, x->name)) : cell_text("step"));
	rows_add(rows, cell_int((int64_t)x->number));
	rows_add(rows, x->process == ID_NONE
			       ? cell_null()
			       : cell_int(process_pid(t->process_keys.keys[x->process])));
	rows_add(rows, cell_int(x->from_ns));
	rows_add(rows, cell_int(wall_ns));
	rows_add(rows, cell_int(x->busy_ns));
	rows_add(rows, per_second(row->each / 1e12, wall_ns));
	rows_add(rows, utilisation(a, row->each, (double)wall_ns / 1e9 * peak));
	rows_add(rows, cell_int(x->start_ns));
	rows_add(rows, cell_int(x->end_ns));
	rows_add(rows, cell_int(x->to_ns));
}

/* FLOPs that are given for all instances together say nothing of one. */
static void add_instances(struct answer *a)
{
	const struct mfu_stage *s = &a->rows.rows[0].stage;
	struct rows *rows;

	if (!a->rows.of_instances || s->count < 2 || a->q->per == PER_WINDOW)
		return;
	rows = report_new_rows(a->report, "mfu_instances", "Each of them", instance_columns,
			       ARRAY_LEN(instance_columns));
	rows->table.kind = "instance";
	for (size_t i = 0; i < s->count; i++)
		add_instance(a, rows, &s->instances[i]);
	rows_arrange_also(rows, a->p, NULL);
}

static void add_term(struct rows *rows, const struct flops_term *t, double all)
{
	rows_add(rows, cell_text(t->name));
	rows_add(rows, cell_real(t->flops / 1e12));
	rows_add(rows, t->is_again ? cell_null() : cell_real(100 * t->flops / all));
	rows_add(rows, cell_text(arena_strdup(rows->arena, t->how)));
	rows_add(rows, cell_real(t->flops));
}

static void add_terms(const struct answer *a)
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

static void note_model(const struct answer *a)
{
	const struct model *m = &a->rows.model;
	struct model_parameters n;
	struct buf b = {0};

	if (!a->rows.has_model)
		return;
	model_count_parameters(m, &n);
	buf_addf(&b, "Model: %s, ", m->kind->name);
	units_add_count(&b, (int64_t)n.total);
	buf_adds(&b, " parameters");
	if (n.active < n.total) {
		buf_adds(&b, ", of which a token meets ");
		units_add_count(&b, (int64_t)n.active);
	}
	report_note(a->report, "%s.%s", b.s,
		    m->is_text_part ? " Its text part alone is counted." : "");
	buf_free(&b);
}

static void note_stage(const struct answer *a, const struct mfu_row *row)
{
	const struct mfu_stage *s = &row->stage;
	struct report *r = a->report;

	if (s->cut)
		report_note(r, "Left out: %llu of '%s' that the window cuts.",
			    (unsigned long long)s->cut, row->name);
	if (s->open)
		report_note(r, "Left out: %llu of '%s' that never closed.",
			    (unsigned long long)s->open, row->name);
	if (s->processes > 1)
		report_note(
			r,
			a->q->shared
				? "The %zu processes of '%s' are taken to do the FLOPs of an "
				  "instance together."
				: "Each of the %zu processes of '%s' is taken to do these FLOPs "
				  "by itself, as in data parallelism; --shared: together, as in "
				  "tensor or pipeline parallelism.",
			s->processes, row->name);
}

/* The first instance often takes many times the others': it says little of the steady state. */
static bool note_warm_up(const struct answer *a, const struct mfu_row *row)
{
	struct walls w = walls_of(&row->stage);

	if (w.low_p50 <= 0 || w.max / WARM_UP_TIMES <= w.low_p50)
		return false;
	report_note(a->report,
		    "The longest of '%s' took %.0f times the median: a warm-up? --trim FROM TO "
		    "leaves it out%s.",
		    row->name, (double)w.max / (double)w.low_p50,
		    row->stage.count > 2 ? "; the median instance has an MFU of its own" : "");
	return true;
}

static void note_all(const struct answer *a)
{
	if (a->rows.steps)
		report_note(a->report, "Steps: %s.", a->rows.steps);
	note_model(a);
	mfu_peak_note(a->report, &a->rows.window, &a->machine, a->q, &a->rows);
	for (size_t i = 0; i < a->rows.count; i++)
		note_stage(a, &a->rows.rows[i]);
	for (size_t i = 0; i < a->rows.count; i++) {
		if (note_warm_up(a, &a->rows.rows[i]))
			break;
	}
	if (a->rows.count > 1)
		report_note(a->report, "The whole window counts the FLOPs of the stages above, and "
				       "all of its time.");
}

static void warn_of_impossible(const struct answer *a)
{
	if (a->highest <= 100)
		return;
	report_warning(a->report,
		       "%.0f %% of the peak cannot be: --batch, --seq, --new-tokens, --flops, "
		       "--dtype or what a range holds does not fit what ran",
		       a->highest);
}

static void head(const struct answer *a, const struct analysis *self)
{
	const struct mfu_instance *w = &a->rows.window.instances[0];
	const struct timeline l = {.from_ns = w->from_ns, .to_ns = w->to_ns};

	time_window_report(a->report, self, &l, a->p);
}

static int answer(struct answer *a, const struct analysis *self, struct err *e)
{
	const enum dtype dtype = mfu_dtype(a->q, &a->rows);

	for (size_t i = 0; i < a->rows.count; i++) {
		if (mfu_peak_of(&a->rows.rows[i].stage, &a->machine, a->q, dtype, &a->peaks[i], e) <
		    0)
			return -1;
	}
	head(a, self);
	note_all(a);
	if (add_stages(a, e) < 0)
		return -1;
	add_instances(a);
	add_terms(a);
	warn_of_impossible(a);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const struct params *p,
	       struct report *r, struct err *e)
{
	struct answer a = {.q = &p->mfu, .p = p, .trace = t, .report = r};
	int result;

	if (mfu_question_check(&p->mfu, p, e) < 0 || machine_read(t, &a.machine, e) < 0)
		return -1;
	result = mfu_rows_make(&a.rows, t, p, e);
	if (result == 0)
		result = answer(&a, self, e);
	mfu_rows_free(&a.rows);
	return result;
}

const struct analysis analysis_mfu = {
	.name = "mfu",
	.title = "Model FLOPs utilisation",
	.summary = "MFU: the FLOPs that the model needs over what the GPUs can do, per stage",
	.detail =
		"FLOPs come from --flops N, --per step, token, range or window; or from --model, "
		"the\n"
		"config.json of a Hugging Face model, with --batch, --seq, --new-tokens and "
		"--mode;\n"
		"the formula is printed. Time comes from --phase, --range, the steps (--marker, "
		"--per\n"
		"step, --iteration N) or the window (--trim). Without any, --model measures each\n"
		"prefill and decode that the names of ranges tell, or each step of training, and "
		"all\n"
		"of them over the whole window.\n\n"
		"MFU is FLOPs / (wall time x peak of the GPUs that worked), MFU busy the same over "
		"the\n"
		"time in which a GPU was busy with it. Recomputation counts for HFU alone. The "
		"wall\n"
		"time of a range goes from its start on the host, or the end of the one before, to "
		"its\n"
		"end on the host or that of the last work it launched.\n\n"
		"Peaks are dense, by device name and data type (--peaks lists them): --dtype, or "
		"the\n"
		"config's. An unknown device has none: --peak-tflops gives it.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.params = PARAM_TRIM | PARAM_DEVICE | PARAM_PID | PARAM_LIMIT | PARAM_SORT | PARAM_MARKER |
		  PARAM_PHASES | PARAM_MFU,
	.run = run,
};
