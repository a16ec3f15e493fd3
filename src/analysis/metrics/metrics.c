/* What did the GPUs' own counters say, of each kernel, range and step? */
#include "analysis/analysis.h"
#include "analysis/cell_values.h"
#include "analysis/metrics/metric_groups.h"
#include "analysis/metrics/metric_ncu.h"
#include "analysis/metrics/metric_sums.h"
#include "analysis/metrics/metric_tables.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "text/units.h"

#include <math.h>

struct metrics_args {
	struct scope scope;
	struct row_choice rows;
	enum metrics_by by;
	struct string_list ncu;
	const char *title; /* of the table, where it is part of another answer */
};

static const struct option_word by_words[] = {{"gpu", METRICS_BY_GPU},
					      {"kernel", METRICS_BY_KERNEL},
					      {"copy", METRICS_BY_COPY},
					      {"range", METRICS_BY_RANGE},
					      {"phase", METRICS_BY_PHASE},
					      {"step", METRICS_BY_STEP},
					      {NULL, 0}};

static const struct option_group metrics_options = OPTIONS(
	struct metrics_args, OPT_INCLUDE(struct metrics_args, scope, struct scope, scope_options),
	OPT_WORD("by", struct metrics_args, by, by_words, "what a row is about"),
	OPT_INCLUDE(struct metrics_args, scope, struct scope, phase_options),
	OPT_LIST("ncu", struct metrics_args, ncu, "FILE", "a CSV of Nsight Compute", ACCESS_READS,
		 "Nsight Compute CSV, whose bounds stand beside those of --by kernel; repeatable"),
	OPT_INCLUDE(struct metrics_args, rows, struct row_choice, row_options));

static const struct column columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"name", "Name", UNIT_KERNEL, 0, "", SHOW},
	{"time_ns", "Time", UNIT_NS, 0, NULL, SHOW},
	{"samples", "Samples", UNIT_COUNT, 0, NULL, SHOW},
	{"bound", "Bound by", UNIT_NAME, 0, NULL, SHOW},
	{"sms_active_pct", "SMs active %", UNIT_PERCENT, 0, NULL, SHOW},
	{"issue_pct", "Issue %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"tensor_pct", "Tensor %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"warps_pct", "Warps %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"dram_read_pct", "DRAM read %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"dram_write_pct", "DRAM write %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"pcie_rx_pct", "PCIe in %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"pcie_tx_pct", "PCIe out %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"nvlink_rx_pct", "NVLink in %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"nvlink_tx_pct", "NVLink out %", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"clock_mhz", "Clock MHz", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"uncertain_pct", "± %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"touched", "Samples touched", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"gr_active_pct", "GPU engine active %", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"where", "Time on", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	/* The last METRIC_NCU_COLUMNS are there with --ncu. */
	{"ncu_bound", "ncu: bound by", UNIT_NAME, 0, NULL, SHOW},
	{"ncu_bound_pct", "ncu: % of peak", UNIT_PERCENT, 0, NULL, SHOW_PREFERRED},
	{"ncu_agrees", "Agree", UNIT_NAME, 0, NULL, SHOW},
};

/* In the order of the columns from the sixth on. */
static const enum metric_kind shown[] = {
	METRIC_SMS_ACTIVE, METRIC_ISSUE,   METRIC_TENSOR,  METRIC_WARPS,     METRIC_DRAM_READ,
	METRIC_DRAM_WRITE, METRIC_PCIE_RX, METRIC_PCIE_TX, METRIC_NVLINK_RX, METRIC_NVLINK_TX};

static const struct column counter_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"metric", "Metric", UNIT_NAME, 0, "", SHOW},
	{"avg", "Avg", UNIT_RATIO, 0, NULL, SHOW},
	{"min", "Min", UNIT_RATIO, 0, NULL, SHOW},
	{"max", "Max", UNIT_RATIO, 0, NULL, SHOW},
	{"samples", "Samples", UNIT_COUNT, 0, NULL, SHOW},
};

static struct cell known(double value)
{
	return isnan(value) ? cell_null() : cell_real(value);
}

static void add_group(struct rows *rows, enum metrics_by by, const struct metric_group *g,
		      const struct metric_average *a)
{
	rows_add(rows, id_cell(g->device));
	rows_add(rows, !g->name.len		 ? cell_null()
		       : by == METRICS_BY_KERNEL ? cell_str(g->name)
						 : cell_literal(g->name));
	rows_add(rows, cell_int(g->ns));
	rows_add(rows, cell_int((int64_t)a->samples));
	rows_add(rows, cell_text(metric_bound_names[a->bound]));
	for (size_t i = 0; i < ARRAY_LEN(shown); i++)
		rows_add(rows, known(a->value[shown[i]]));
	rows_add(rows, isnan(a->value[METRIC_CLOCK]) ? cell_null()
						     : cell_int(llround(a->value[METRIC_CLOCK])));
	rows_add(rows, a->samples >= METRIC_SAMPLES_MIN ? cell_real(a->uncertain) : cell_null());
	rows_add(rows, cell_int((int64_t)a->touched));
	rows_add(rows, known(a->value[METRIC_GR_ACTIVE]));
	rows_add(rows, cell_text(g->on_host ? "host" : "gpu"));
}

/* Where no row has enough samples, another capture has. */
static void advise_rate(struct report *r, const struct gpu_metrics *m, size_t enough)
{
	SCOPED_BUF period = {0};

	if (enough)
		return;
	units_add_ns(&period, (double)m->gpus[0].period_ns);
	report_note(r,
		    "A sample every %s is too coarse for all of these: capture at a higher rate "
		    "(gpuwhy profile --gpu-metrics-rate 100000), or for longer.",
		    period.s);
}

/* `ncu` NULL: nobody gave its files. */
static int add_groups(struct report *r, const struct metric_question *q,
		      const struct metric_groups *g, const struct metrics_args *a,
		      struct metric_ncu *ncu, struct err *e)
{
	struct rows *rows = report_new_rows(r, "metrics", a->title, columns,
					    ARRAY_LEN(columns) - (ncu ? 0 : METRIC_NCU_COLUMNS));
	size_t enough = 0;

	for (size_t i = 0; i < g->count; i++) {
		const struct metric_group *group = &g->all[i];
		struct metric_average average;

		if (!group->ns)
			continue;
		average = metric_average(&q->metrics->gpus[group->gpu], &g->spans[group->begin],
					 group->end - group->begin);
		add_group(rows, a->by, group, &average);
		enough += average.samples >= METRIC_SAMPLES_MIN;
		if (ncu)
			metric_ncu_add(ncu, rows, group->name, average.bound);
	}
	rows_hide_empty(rows);
	warn_filtered_out(r, g->count, &a->scope);
	advise_rate(r, q->metrics, enough || !g->count);
	return rows_arrange(rows, &a->rows, a->by == METRICS_BY_STEP ? NULL : "time_ns", e);
}

struct extremes {
	double sum, weight, min, max;
	size_t count;
};

static struct extremes look_at(const struct measured_gpu *g, size_t metric, struct span window)
{
	struct extremes x = {.min = INFINITY, .max = -INFINITY};
	const enum metric_kind kind = metric_kind(g->names[metric]);

	for (size_t i = 0; i < g->samples; i++) {
		const double value = metric_sound(kind, gpu_metric(g, i, metric));
		const struct span time = gpu_metric_span(g, i);
		const int64_t ns = span_overlap(time, window);

		if (ns <= 0 || isnan(value))
			continue;
		x.sum += (double)ns * value;
		x.weight += (double)ns;
		x.min = fmin(x.min, value);
		x.max = fmax(x.max, value);
		x.count++;
	}
	return x;
}

/* All counters by the names that they have, known or not. */
static void add_counters(struct report *r, const struct gpu_metrics *m,
			 const struct metric_groups *groups, struct span window)
{
	struct rows *rows = report_new_rows(r, "metrics_all", "All counters", counter_columns,
					    ARRAY_LEN(counter_columns));

	for (size_t i = 0; i < groups->count; i++) {
		const struct measured_gpu *g = &m->gpus[groups->all[i].gpu];

		for (size_t k = 0; k < g->metrics; k++) {
			const struct extremes x = look_at(g, k, window);

			rows_add(rows, id_cell(groups->all[i].device));
			rows_add(rows, cell_str(g->names[k]));
			rows_add(rows, x.count ? cell_real(x.sum / x.weight) : cell_null());
			rows_add(rows, x.count ? cell_real(x.min) : cell_null());
			rows_add(rows, x.count ? cell_real(x.max) : cell_null());
			rows_add(rows, cell_int((int64_t)x.count));
		}
	}
}

static int add_with_ncu(struct report *r, struct trace *t, const struct metric_question *q,
			const struct metric_groups *g, const struct metrics_args *a, struct err *e)
{
	struct metric_ncu ncu;
	int result;

	if (metric_ncu_read(&ncu, &a->ncu, t, &a->scope, e) < 0)
		return -1;
	result = add_groups(r, q, g, a, &ncu, e);
	if (result == 0) {
		metric_ncu_tell(&ncu, r);
		result = ncu_devices_warn(&ncu.report, t, &a->scope, r, e);
	}
	metric_ncu_free(&ncu);
	return result;
}

/* What the rows are about, once it is loaded. */
static int require_rows(const struct trace *t, enum metrics_by by, struct err *e)
{
	const bool no_ranges = by == METRICS_BY_RANGE && !t->events[TRACE_NVTX].count;
	const bool no_copies = by == METRICS_BY_COPY && !t->events[TRACE_MEMCPYS].count;

	if (!no_ranges && !no_copies)
		return 0;
	err_set(e, ERR_INPUT, "no %s in this trace", no_ranges ? "NVTX ranges" : "copies");
	e->absent = true;
	return err_hint(e, "--by kernel needs none");
}

static int answer(const struct analysis *self, struct trace *t, const struct metrics_args *a,
		  const struct gpu_metrics *m, struct report *r, struct err *e)
{
	struct metric_question q = {.metrics = m, .p = &a->scope, .by = a->by, .arena = &r->arena};
	struct metric_groups groups;
	int result;

	if (gpu_metrics_require(m, e) < 0 || window_report(r, self, t, &a->scope, &a->rows, e) < 0)
		return -1;
	q.window = (struct span){r->window_start_ns, r->window_end_ns};
	if (a->ncu.count && a->by != METRICS_BY_KERNEL)
		return err_set(e, ERR_USAGE, "--ncu is about kernels: use it with --by kernel");
	if (a->by == METRICS_BY_STEP && !a->scope.warm.count)
		return err_set(e, ERR_INPUT, "no steps in this window: gpuwhy iters says why");
	if (metric_groups_make(t, &q, &groups, e) < 0)
		return -1;
	result = require_rows(t, a->by, e);
	if (result == 0)
		result = a->ncu.count ? add_with_ncu(r, t, &q, &groups, a, e)
				      : add_groups(r, &q, &groups, a, NULL, e);
	if (result == 0 && a->by == METRICS_BY_GPU)
		add_counters(r, m, &groups, q.window);
	metric_groups_free(&groups);
	return result;
}

static bool has_samples(const struct gpu_metrics *m)
{
	struct err none = {0};

	return gpu_metrics_require(m, &none) == 0;
}

int metrics_of_gpus_report(struct report *r, struct trace *t, const struct scope *p,
			   struct span window, struct err *e)
{
	const struct metrics_args a = {.scope = *p, .title = "Counters of the GPUs"};
	struct metric_question q = {.p = p, .window = window, .arena = &r->arena};
	struct metric_groups groups;
	struct gpu_metrics m;
	int result;

	if (gpu_metrics_read(t, &m, e) < 0)
		return -1;
	q.metrics = &m;
	result = has_samples(&m) ? metric_groups_make(t, &q, &groups, e) : 0;
	if (result == 0 && has_samples(&m)) {
		result = add_groups(r, &q, &groups, &a, NULL, e);
		metric_groups_free(&groups);
	}
	gpu_metrics_free(&m);
	return result;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct gpu_metrics m;
	int result;

	if (gpu_metrics_read(t, &m, e) < 0)
		return -1;
	result = answer(self, t, args, &m, r, e);
	gpu_metrics_free(&m);
	return result;
}

static const struct topic topics_metrics[] = {
	{.table = "metrics",
	 .subject = "tensor sm sms dram counter clock",
	 .words = "metric metrics counter counters sm sms occupancy tensor core cores dram hbm "
		  "bandwidth clock frequency throttle throttling pcie nvlink hardware unit units "
		  "memory bound warps issue",
	 .questions = "how busy are the SMs\n"
		      "are the tensor cores used\n"
		      "what is the tensor core utilization\n"
		      "what is the DRAM bandwidth\n"
		      "what is the SM occupancy\n"
		      "is the GPU memory bandwidth saturated\n"
		      "what clock does the GPU run at\n"
		      "how much NVLink traffic is there\n"
		      "what do the hardware counters say\n"
		      "is it limited by memory bandwidth\n"
		      "SM activity\n",
	 .row = "{name}|: SMs active {sms_active_pct}|, tensor cores {tensor_pct}|, warps "
		"{warps_pct}|, DRAM read {dram_read_pct}|, DRAM write {dram_write_pct}|, PCIe in "
		"{pcie_rx_pct}|, NVLink in {nvlink_rx_pct}|, clock {clock_mhz} MHz|; bound by "
		"{bound}",
	 .needs = "gpu_units"},
	{.table = "metrics_all",
	 .words = "counter counters sample peak",
	 .questions = "what is the peak of the PCIe RX throughput counter\n",
	 .row = "{metric} on GPU {device}: at most {max} in {samples} samples|, {avg} on "
		"average|, at least {min}",
	 .needs = "gpu_units"},
	{.subject = "warp occupancy spill cache",
	 .words = "warp stall reasons achieved occupancy register spill spills cache hit l1 l2 "
		  "shared bank conflicts instructions roofline arithmetic intensity",
	 .questions = "what is the achieved occupancy of a kernel\n"
		      "what are the warp stall reasons\n"
		      "what is the L2 hit rate\n"
		      "does the kernel spill registers\n",
	 .none = "Nsight Systems does not measure single kernels so closely; gpuwhy inspect runs "
		 "Nsight Compute on those that matter"},
	{0},
};

const struct analysis analysis_metrics = {
	.name = "metrics",
	.title = "Counters of the GPUs",
	.order = "time",
	.summary = "SMs, tensor cores, DRAM, PCIe and NVLink by the GPU's own counters",
	.example = "gpuwhy metrics counters.sqlite --by range",
	.detail = "Counters that the GPU keeps of itself (nsys profile --gpu-metrics-devices=all), "
		  "in "
		  "percent of what is possible, averaged over the window of each GPU, or over the "
		  "time that each kernel, sort of copy, range, phase or step has on it. A sample "
		  "stands for the time "
		  "until the next. Samples is the number of those of which nine tenths lie in that "
		  "time: a kernel that is shorter than a period has some only if it runs again and "
		  "again. With fewer than five there are no averages, "
		  "and the bound is cannot_tell. ± is the largest standard error.\n\n"
		  "Bound by: tensor, dram, issue, pcie or nvlink where one of them is at 60 % or "
		  "more; few_sms where less than half of the SMs work; latency where nothing is at "
		  "its limit; idle.",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.options = &metrics_options,
	.run = run,
	.topics = topics_metrics,
};
