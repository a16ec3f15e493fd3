/* How long did each step of the run take, where did its time go, and which are unlike the others?
 */
#include "analysis/cell_values.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/gpu/process_gpus.h"
#include "analysis/gpu/timeline.h"
#include "analysis/processes/rank_map.h"
#include "analysis/steps/iteration_stats.h"
#include "analysis/steps/steady.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "report/chart.h"
#include "text/units.h"

static const struct column summary_columns[] = {
	{"rank", "Rank", UNIT_ID, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"iterations", "Steps", UNIT_COUNT, 0, NULL, SHOW},
	{"p50_ns", "p50", UNIT_NS, 0, NULL, SHOW},
	{"p90_ns", "p90", UNIT_NS, 0, NULL, SHOW},
	{"min_ns", "Min", UNIT_NS, 0, NULL, SHOW},
	{"max_ns", "Max", UNIT_NS, 0, NULL, SHOW},
	{"trend_pct", "Trend % per step", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"outliers", "Outliers", UNIT_COUNT, 0, NULL, SHOW},
	{"outlier_ns", "Outlier threshold", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"device", "Device", UNIT_ID, 0, NULL, SHOW},
	{"confidence_pct", "Confidence", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"source", "Source", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"name", "Name", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"between_ns", "Between steps", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"longest_between_ns", "Longest between", UNIT_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column outlier_columns[] = {
	{"iteration", "Step", UNIT_ID, 0, "iter:", SHOW},
	{"rank", "Rank", UNIT_ID, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"start_ns", "Host start", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"from_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"excess_ns", "Above median", UNIT_NS, 0, NULL, SHOW},
	{"cause", "Main cause", UNIT_NAME, 0, NULL, SHOW},
	{"cause_ns", "Difference", UNIT_NS, 0, NULL, MACHINE_ONLY},
};

static const struct column step_columns[] = {
	{"iteration", "Step", UNIT_ID, 0, "iter:", SHOW},
	{"rank", "Rank", UNIT_ID, 0, NULL, SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"start_ns", "Host start", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"from_ns", "Start", UNIT_TIME_NS, 0, NULL, SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"host_ns", "Host time", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"gpu_span_ns", "GPU span", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"compute_ns", "Compute", UNIT_NS, 0, NULL, SHOW},
	{"exposed_comm_ns", "Exposed comm", UNIT_NS, 0, NULL, SHOW},
	{"exposed_copy_ns", "Exposed copy", UNIT_NS, 0, NULL, SHOW},
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"end_ns", "Host end", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"to_ns", "End", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"gpu_start_ns", "First work", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"gpu_end_ns", "Last work", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
};

static const char *const sources[] = {
	[ITER_MARKER] = "marker", [ITER_RANGE] = "range", [ITER_KERNELS] = "kernels"};

struct answer {
	const struct trace *trace;
	const struct scope *p;
	const struct row_choice *rows;
	struct report *report;
	struct iterations it;
	struct iteration_times times;
	struct iteration_stats *stats; /* by lane */
	bool communicates;	       /* with nothing else to do, in some step */
	struct rank_map ranks;	       /* of several processes, where something says who they are */
};

static bool knows_ranks(const struct answer *a)
{
	return a->ranks.count && a->ranks.source != RANKS_ASSUMED;
}

/* One process needs no column, and neither does communication where there is none. */
static bool says_nothing(const struct answer *a, const char *key)
{
	if (strcmp(key, "pid") == 0)
		return a->it.lane_count == 1;
	return strcmp(key, "exposed_comm_ns") == 0 && !a->communicates;
}

static struct rows *new_rows(const struct answer *a, const char *name, const char *title,
			     const struct column *columns, size_t count)
{
	struct column *mine = arena_alloc(&a->report->arena, count, sizeof(*mine));
	struct rows *rows;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (strcmp(columns[i].key, "rank") == 0 && !knows_ranks(a))
			continue;
		mine[kept] = columns[i];
		if (says_nothing(a, mine[kept].key))
			mine[kept].show = MACHINE_ONLY;
		kept++;
	}
	rows = report_new_rows(a->report, name, title, mine, kept);
	rows->table.kind = "iteration";
	return rows;
}

/* Whose steps these are: its rank, where ranks are known, and its PID. */
static void add_process(const struct answer *a, struct rows *rows, uint32_t process)
{
	const struct rank *rank = rank_of_process(&a->ranks, process);

	if (knows_ranks(a))
		rows_add(rows, rank ? cell_int(rank->number) : cell_null());
	rows_add(rows, process_pid_cell(a->trace, process));
}

/* Without calls, only kernels that tell the steps say which they are in. */
static bool knows_work(const struct answer *a)
{
	return a->it.joined || a->it.source == ITER_KERNELS;
}

static void add_summary(const struct answer *a)
{
	struct rows *rows =
		new_rows(a, "iteration_summary", NULL, summary_columns, ARRAY_LEN(summary_columns));

	rows->table.kind = "iterations";
	for (size_t i = 0; i < a->it.lane_count; i++) {
		const struct iteration_stats *s = &a->stats[i];

		add_process(a, rows, a->it.lanes[i].process);
		rows_add(rows, cell_int((int64_t)s->count));
		rows_add(rows, cell_real(s->p50_ns));
		rows_add(rows, cell_real(s->p90_ns));
		rows_add(rows, cell_int(s->min_ns));
		rows_add(rows, cell_int(s->max_ns));
		rows_add(rows, s->has_trend ? cell_real(s->trend_pct) : cell_null());
		rows_add(rows, cell_int((int64_t)s->outliers));
		rows_add(rows, cell_real(s->limit_ns));
		rows_add(rows, id_cell(a->times.device_of_lane[i]));
		rows_add(rows, cell_real(100 * a->it.confidence));
		rows_add(rows, cell_text(sources[a->it.source]));
		rows_add(rows, a->it.name ? cell_text(arena_strdup(&a->report->arena, a->it.name))
					  : cell_null());
		rows_add(rows, cell_int(s->between_ns));
		rows_add(rows, cell_int(s->longest_between_ns));
	}
}

static void add_outlier(const struct answer *a, struct rows *rows, size_t lane,
			const struct iteration *step)
{
	const struct iteration_stats *s = &a->stats[lane];
	const struct step_time *t = &a->times.of_step[step - a->it.all];
	int part = step_culprit(t, s);

	rows_add(rows, cell_int(step->number));
	add_process(a, rows, a->it.lanes[lane].process);
	rows_add(rows, cell_int(step->start_ns));
	rows_add(rows, cell_int(step->from_ns));
	rows_add(rows, cell_int(iteration_ns(step)));
	rows_add(rows, cell_real((double)iteration_ns(step) - s->p50_ns));
	rows_add(rows, cell_text(step_cause(&a->times, step, t, s, &a->report->arena)));
	rows_add(rows, cell_real((double)step_part_ns(t, part) - s->part_p50_ns[part]));
}

static void add_outliers(const struct answer *a)
{
	struct rows *rows = NULL;

	for (size_t lane = 0; lane < a->it.lane_count; lane++) {
		const struct iteration *steps = lane_steps(&a->it, &a->it.lanes[lane]);

		for (size_t i = 0; i < a->it.lanes[lane].count; i++) {
			if ((double)iteration_ns(&steps[i]) <= a->stats[lane].limit_ns)
				continue;
			if (!rows)
				rows = new_rows(a, "iteration_outliers", "Slow steps",
						outlier_columns, ARRAY_LEN(outlier_columns));
			add_outlier(a, rows, lane, &steps[i]);
		}
	}
	if (rows)
		rows_arrange_also(rows, a->rows, "excess_ns");
}

static void add_step(const struct answer *a, struct rows *rows, const struct iteration_lane *lane,
		     const struct iteration *s)
{
	const struct step_time *t = &a->times.of_step[s - a->it.all];

	rows_add(rows, cell_int(s->number));
	add_process(a, rows, lane->process);
	rows_add(rows, cell_int(s->start_ns));
	rows_add(rows, cell_int(s->from_ns));
	rows_add(rows, cell_int(iteration_ns(s)));
	rows_add(rows, cell_int(sat_sub(s->end_ns, s->start_ns)));
	rows_add(rows, s->ops ? cell_int(sat_sub(s->gpu_end_ns, s->gpu_start_ns)) : cell_null());
	rows_add(rows, cell_int(step_part_ns(t, STEP_COMPUTE)));
	rows_add(rows, cell_int(step_part_ns(t, STEP_COMM)));
	rows_add(rows, cell_int(step_part_ns(t, STEP_COPY)));
	rows_add(rows, cell_int(t->ns[SLICE_IDLE]));
	rows_add(rows, knows_work(a) ? cell_int((int64_t)s->kernels) : cell_null());
	rows_add(rows, a->it.joined ? cell_int((int64_t)s->launches) : cell_null());
	rows_add(rows, cell_int(s->end_ns));
	rows_add(rows, cell_int(s->to_ns));
	rows_add(rows, s->ops ? cell_int(s->gpu_start_ns) : cell_null());
	rows_add(rows, s->ops ? cell_int(s->gpu_end_ns) : cell_null());
}

static int add_steps(const struct answer *a, struct err *e)
{
	struct rows *rows =
		new_rows(a, "iterations", "Steps", step_columns, ARRAY_LEN(step_columns));

	for (size_t lane = 0; lane < a->it.lane_count; lane++) {
		const struct iteration_lane *l = &a->it.lanes[lane];

		for (size_t i = 0; i < l->count; i++)
			add_step(a, rows, l, &lane_steps(&a->it, l)[i]);
	}
	if (a->rows->sort)
		return rows_arrange(rows, a->rows, NULL, e);
	rows_arrange_also(rows, a->rows, NULL);
	return 0;
}

static const struct chart_part chart_parts[] = {
	{"compute", HUE_COMPUTE},
	{"exposed communication", HUE_COMM},
	{"exposed copy", HUE_COPY},
	{"idle", HUE_IDLE},
};

enum { CHARTS = 4 }; /* of processes: more would be a wall */

static const char *chart_title(const struct answer *a, size_t lane)
{
	const uint32_t process = a->it.lanes[lane].process;
	const struct cell pid = process_pid_cell(a->trace, process);
	const struct rank *rank = knows_ranks(a) ? rank_of_process(&a->ranks, process) : NULL;
	struct buf b = {0};

	if (rank)
		buf_addf(&b, "Rank %u: each step's time", rank->number);
	else if (a->it.lane_count > 1 && pid.kind == CELL_INT)
		buf_addf(&b, "Process %lld: each step's time", (long long)pid.i);
	else
		buf_adds(&b, "Each step's time");
	if (a->it.lane_count > CHARTS)
		buf_addf(&b, " (the first %d of %zu processes)", CHARTS, a->it.lane_count);
	return report_take_text(a->report, &b);
}

/*
 * The longest warm step, where there are cold ones: beside those the others could not be told
 * apart. It is the same for all processes, so that their charts can be compared.
 */
static double longest_shown_ns(const struct answer *a, bool *ret_cuts)
{
	size_t cold = steady_cold_steps(&a->it);
	int64_t longest = 0;

	for (size_t lane = 0; lane < a->it.lane_count; lane++) {
		const struct iteration_lane *l = &a->it.lanes[lane];

		for (size_t i = cold < l->count ? cold : 0; i < l->count; i++) {
			int64_t ns = iteration_ns(&lane_steps(&a->it, l)[i]);

			longest = ns > longest ? ns : longest;
		}
	}
	*ret_cuts = cold > 0;
	return (double)longest;
}

static void add_chart(const struct answer *a, size_t lane, double longest_ns, bool cuts)
{
	const struct iteration_lane *l = &a->it.lanes[lane];
	struct chart *c = report_new_chart(a->report, CHART_SERIES, chart_title(a, lane), UNIT_NS,
					   l->count, chart_parts, ARRAY_LEN(chart_parts));

	c->axis_unit = UNIT_COUNT;
	c->from = lane_steps(&a->it, l)[0].number;
	c->to = c->from + (double)l->count;
	c->stacked = true;
	c->top = longest_ns;
	c->cut = cuts ? longest_ns : 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct step_time *t = &a->times.of_step[l->begin + i];
		double *parts = chart_item(c, i);

		*parts++ = (double)step_part_ns(t, STEP_COMPUTE);
		*parts++ = (double)step_part_ns(t, STEP_COMM);
		*parts++ = (double)step_part_ns(t, STEP_COPY);
		*parts++ = (double)t->ns[SLICE_IDLE];
	}
}

/* One process after another would be no series: each has its own. */
static void add_charts(const struct answer *a)
{
	bool cuts;
	const double longest_ns = longest_shown_ns(a, &cuts);

	for (size_t lane = 0; lane < a->it.lane_count && lane < CHARTS; lane++)
		add_chart(a, lane, longest_ns, cuts);
}

/* A step that is cut is none: of a window's steps those count that lie in it. */
static int keep_inside(struct answer *a, struct err *e)
{
	struct iterations *it = &a->it;
	size_t kept = 0, lanes = 0;

	for (size_t lane = 0; lane < it->lane_count; lane++) {
		struct iteration_lane l = it->lanes[lane];
		size_t begin = kept;

		for (size_t i = l.begin; i < l.begin + l.count; i++) {
			const struct iteration *s = &it->all[i];

			if (a->p->has_trim &&
			    (s->from_ns < a->p->from_ns || s->to_ns > a->p->to_ns))
				continue;
			a->times.of_step[kept] = a->times.of_step[i];
			it->all[kept++] = *s;
		}
		l.begin = begin;
		l.count = kept - begin;
		a->times.device_of_lane[lanes] = a->times.device_of_lane[lane];
		if (l.count)
			it->lanes[lanes++] = l;
	}
	it->count = kept;
	it->lane_count = lanes;
	if (kept)
		return 0;
	err_set(e, ERR_INPUT, "none of the steps of '%s' is inside that window", a->trace->path);
	return err_hint(e, "gpuwhy iters without --trim lists them all");
}

/* From the first step's beginning to the last one's end. */
/* Steps of two speeds have no usual one: each speed has. */
static void note_cold(const struct answer *a)
{
	const size_t cold = steady_cold_steps(&a->it);
	const struct iteration_lane *lane = &a->it.lanes[a->it.main_lane];
	struct buf b = {0};

	if (!cold || cold >= lane->count)
		return;
	if (cold == 1)
		buf_adds(&b, "Cold: the first, ");
	else
		buf_addf(&b, "Cold: the first %zu, median ", cold);
	units_add_ns(&b, steady_median_ns(lane_steps(&a->it, lane), cold));
	buf_addf(&b, "; warm: the other %zu, median ", lane->count - cold);
	units_add_ns(&b, steady_median_ns(lane_steps(&a->it, lane) + cold, lane->count - cold));
	report_note(a->report, "%s%s.", b.s, a->it.lane_count > 1 ? ", of the main process" : "");
	buf_free(&b);
}

static void add_heading(const struct answer *a, const struct analysis *self)
{
	struct timeline l = {.from_ns = INT64_MAX, .to_ns = INT64_MIN};
	struct scope p = *a->p;

	for (size_t i = 0; i < a->it.count; i++) {
		const struct iteration *s = &a->it.all[i];

		l.from_ns = s->from_ns < l.from_ns ? s->from_ns : l.from_ns;
		l.to_ns = s->to_ns > l.to_ns ? s->to_ns : l.to_ns;
	}
	p.has_trim = true;
	if (p.chosen != SPAN_WARM)
		p.chosen_words = "all steps";
	time_window_report(a->report, self, &l, &p);
	report_note(a->report, "Steps: %s%s%s.", a->it.how,
		    a->it.lane_count > 1 ? ", separately for each process" : "",
		    arena_printf(&a->report->arena, "; %.0f %% of them %s", 100 * a->it.confidence,
				 a->it.source == ITER_KERNELS ? "agree" : "are alike"));
	note_cold(a);
	iteration_notes(a->report, a->trace, &a->it);
	iteration_note_between(a->report, a->trace, &a->it, a->stats);
	time_window_warn(a->report, &a->times.faults);
}

static int answer(struct answer *a, const struct analysis *self, struct err *e)
{
	if (keep_inside(a, e) < 0)
		return -1;
	a->stats = arena_zalloc(&a->report->arena, a->it.lane_count, sizeof(*a->stats));
	for (size_t i = 0; i < a->it.lane_count; i++) {
		const struct iteration_lane *l = &a->it.lanes[i];

		iteration_stats_make(lane_steps(&a->it, l), &a->times.of_step[l->begin], l->count,
				     &a->stats[i]);
	}
	for (size_t i = 0; i < a->it.count; i++)
		a->communicates |= a->times.of_step[i].ns[SLICE_COMM] > 0;
	add_heading(a, self);
	add_summary(a);
	add_charts(a);
	add_outliers(a);
	return add_steps(a, e);
}

struct iters_args {
	struct table_args table;
	struct comm_args comm;
};

static const struct option_group iters_options =
	OPTIONS(struct iters_args,
		OPT_INCLUDE(struct iters_args, table, struct table_args, step_table_options),
		OPT_INCLUDE(struct iters_args, table.scope, struct scope, rank_options),
		OPT_INCLUDE(struct iters_args, comm, struct comm_args, comm_options));

/* A rank is a process, which has steps of its own. */
static int ask_rank(struct trace *t, const struct scope *asked, struct scope *ret, struct err *e)
{
	struct rank_map ranks;

	*ret = *asked;
	if (!asked->has_rank && !asked->label)
		return 0;
	if (rank_map_read(t, asked, &ranks, e) < 0)
		return -1;
	*ret = rank_asked_alone(&ranks, t, asked);
	rank_map_free(&ranks);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct iters_args *asked = args;
	struct scope p;
	struct answer a = {.trace = t, .p = &p, .rows = &asked->table.rows, .report = r};
	int result = ask_rank(t, &asked->table.scope, &p, e);

	if (result == 0)
		result = iteration_times_read(t, &p, &a.it, &a.times, e);
	if (result == 0 && a.it.lane_count > 1 && rank_map_read(t, &p, &a.ranks, e) < 0)
		result = err_forgive_absent(e);
	if (result == 0)
		result = answer(&a, self, e);
	/* Their steps launch work and have no kernels to count. */
	if (result == 0)
		result = warn_of_hidden_graphs(t, r, e);
	rank_map_free(&a.ranks);
	iteration_times_free(&a.times);
	iterations_free(&a.it);
	return result;
}

static const struct topic topics_iters[] = {
	{.table = "iteration_summary",
	 .is_total = true,
	 .subject = "step",
	 .words = "step steps iteration iterations iter iters batch minibatch loop duration time "
		  "per median average trend drift stable variance warm warmup",
	 .questions = "how long is a step\n"
		      "how many steps are there\n"
		      "how many iterations were recorded\n"
		      "what is the step time\n"
		      "how long does one iteration take on average\n"
		      "median step time\n"
		      "are the steps stable\n"
		      "do steps get slower over time\n"
		      "what is the slowest and fastest step time\n"
		      "how many steps per second\n",
	 .row = "{iterations} steps|, {p50_ns} at the median|, from {min_ns} to {max_ns}|, 90 % of "
		"them below {p90_ns}|, {outliers} outliers|, trend {trend_pct}|, of rank {rank}|, "
		"of process {pid}",
	 .none = "no steps were found: name the ranges that are steps with --marker"},
	{.table = "iterations",
	 .subject = "step",
	 .words = "step iteration single each every list slowest fastest longest shortest number "
		  "compare between",
	 .questions = "which step is the slowest\n"
		      "which decode step is slowest\n"
		      "how long did step 3 take\n"
		      "which iteration took longest\n"
		      "the 3 slowest steps\n"
		      "slowest step and how long it takes\n"
		      "compare step 2 and step 5\n"
		      "list all steps\n"
		      "how many kernels run in a step\n"
		      "which step is the fastest\n"
		      "breakdown of each step\n",
	 .row = "step {iteration} takes {time_ns}|: compute {compute_ns}|, exposed communication "
		"{exposed_comm_ns}|, exposed copies {exposed_copy_ns}|, idle {idle_ns}|, {kernels} "
		"kernels|; it begins at {start_ns}| and takes {host_ns} on the host",
	 .sum = "{#} steps take {time_ns}|: {kernels} kernels|, compute {compute_ns}|, exposed "
		"communication {exposed_comm_ns}|, exposed copies {exposed_copy_ns}|, idle "
		"{idle_ns}",
	 .by = "time_ns"},
	{.table = "iteration_outliers",
	 .subject = "outlier",
	 .words = "outlier outliers abnormal unusual spike spikes hiccup jitter anomalous "
		  "straggling steps",
	 .questions = "which steps are outliers\n"
		      "are there outlier steps\n"
		      "which step is unusually slow\n"
		      "are there spikes in the step time\n",
	 .row = "step {iteration} takes {time_ns}, {excess_ns} more than usual|; most of that is "
		"{cause} ({cause_ns})",
	 .by = "excess_ns",
	 .none = "no step is an outlier"},
	{0},
};

const struct analysis analysis_iters = {
	.name = "iters",
	.span = SPAN_ALL,
	.title = "Steps of the run",
	.summary = "steps: duration, breakdown, outliers and trends",
	.example = "gpuwhy iters trace.sqlite --marker '^decode'",
	.detail = "Steps are the NVTX ranges or marks named by --marker (a step runs from mark to "
		  "mark), else the outermost range that repeats and launches half of the kernel "
		  "time, else the period of kernel names, or of CUDA graphs where those hide most "
		  "kernels; if none is certain, there is no answer. "
		  "Each process has its "
		  "own steps, and --rank N selects those of a rank. Ranges that never closed, "
		  "repetitions cut by the capture, steps of "
		  "another thread and time between steps are left out and reported.\n\n"
		  "The host runs ahead of the GPU: a step starts at its start on the host, or at "
		  "the end of the previous step, and ends at its end on the host or at the end of "
		  "its last GPU op. Compute, exposed communication, exposed copy and idle add up "
		  "to that time; they are for the device that does most of the process's work, or "
		  "for --device. --iteration N selects this time as the window of any command; for "
		  "calls and ranges (api, sync, ranges) it selects the step's host time.\n\n"
		  "An outlier takes at least 5 % and more than 5 median absolute deviations longer "
		  "than the median; the largest difference from the median step is named. A trend "
		  "is shown if Kendall's test is significant (3 sigma) and it amounts to 5 % from "
		  "the first step to the last. --trim selects the steps inside the window.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.options = &iters_options,
	.run = run,
	.topics = topics_iters,
};
