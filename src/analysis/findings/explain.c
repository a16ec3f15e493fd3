/* What happened in the warm part of the run, as far as a finding may need it? */
#include "analysis/findings/explain.h"

#include "analysis/gpu/other_processes.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "trace/ranges/attribution.h"
#include "trace/ranges/fold.h"
#include "trace/system/system_facts.h"

#include <stdlib.h>

enum { LOADS = 2 }; /* slow launches of a kernel that may be the loading of its code */

static void add_thread_times(struct explain *x)
{
	int64_t ns[WAITS];

	gap_judge_threads(&x->judge, x->timeline.from_ns, x->timeline.to_ns, ns);
	/* A launch that is slow while the GPU is idle waits for nothing on it. */
	for (size_t i = 0; i < x->sums[SUM_SLOW_LAUNCHES].count; i++)
		ns[WAIT_GPU] = sat_sub(ns[WAIT_GPU], x->sums[SUM_SLOW_LAUNCHES].rows[i].total_ns);
	x->wait_ns = sat_add(ns[WAIT_GPU] > 0 ? ns[WAIT_GPU] : 0,
			     gap_judge_tail(&x->judge, x->timeline.from_ns, x->timeline.to_ns));
	x->alloc_ns = sat_add(x->alloc_ns, ns[WAIT_ALLOC]);
}

static void add_graphs(struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_GRAPHS];

	for (uint64_t i = 0; i < ev->count; i++)
		x->graph_ns = sat_add(x->graph_ns, explain_op_ns(x, TRACE_GRAPHS, i));
}

static void free_sums(struct explain *x)
{
	for (int i = 0; i < EXPLAIN_SUMS; i++)
		time_sums_free(&x->sums[i]);
}

/* Devices run side by side: the run cannot get shorter than what the busiest computes. */
static int64_t find_slack(const struct explain *x)
{
	int64_t most_ns = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		int64_t ns = device_compute_ns(&x->timeline.devices[d]);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return x->window_ns - most_ns;
}

/* How often each kernel's launch was slow; the last is of ops without a name. */
static uint64_t *count_slow_launches(const struct explain *x)
{
	uint64_t *counts = mem_zalloc(x->trace->names.count + 1, sizeof(*counts));

	for (size_t i = 0; i < x->sums[SUM_SLOW_LAUNCHES].count; i++) {
		const struct time_sum *row = &x->sums[SUM_SLOW_LAUNCHES].rows[i];

		counts[row->name == NAME_NONE ? x->trace->names.count : row->name] += row->count;
	}
	return counts;
}

/* A kernel's code is loaded once, on each device: launches that are slow again do something else.
 */
static void sort_slow_launches(struct explain *x)
{
	uint64_t *counts = count_slow_launches(x);
	bool *loads = mem_alloc(x->trace->names.count + 1, sizeof(*loads));

	for (size_t i = 0; i <= x->trace->names.count; i++)
		loads[i] = counts[i] <= LOADS || counts[i] <= x->timeline.count;
	for (size_t i = 0; i < x->sums[SUM_SLOW_LAUNCHES].count; i++) {
		const struct time_sum *row = &x->sums[SUM_SLOW_LAUNCHES].rows[i];
		const size_t name = row->name == NAME_NONE ? x->trace->names.count : row->name;

		time_sums_add_row(&x->sums[SUM_CAUSES],
				  loads[name] ? CAUSE_ALLOC : CAUSE_SLOW_LAUNCH, row->group,
				  &x->sums[SUM_SLOW_LAUNCHES], i);
		if (loads[name])
			x->loading_ns = sat_add(x->loading_ns, row->total_ns);
	}
	x->alloc_ns = sat_add(x->alloc_ns, x->loading_ns);
	explain_sort_slow_calls(x, loads);
	free(counts);
	free(loads);
}

/* Native stacks have a table; of Python's there is a domain. */
static int look_for_samples(struct explain *x, struct err *e)
{
	const struct sqlite_table *table =
		sqlitefile_find_table(x->trace->file, "COMPOSITE_EVENTS");
	const struct strtab *names = &x->trace->names;
	int result = 0;

	trace_lock(x->trace);
	if (table)
		result = sqlitefile_has_rows(x->trace->file, table, &x->has_samples, e);
	trace_unlock(x->trace);
	for (size_t i = 0; i < names->count && !x->has_samples; i++)
		x->has_samples = str_eq(names->items[i], STR_LIT("Python Periodic Sampling"));
	return result < 0 ? -1 : system_is_windows(x->trace, &x->on_windows, e);
}

static int find_program(struct explain *x, struct err *e)
{
	const bool sampled = x->code.python[PAYLOAD_SAMPLE].count ||
			     x->code.python[PAYLOAD_BACKTRACE].count || explain_lacks_python(x);

	return program_words_find(x->trace, x->judge.joined ? &x->judge.calls : NULL, sampled,
				  &x->program, e);
}

static int collect(struct explain *x, struct err *e)
{
	const uint32_t copy_columns = COL_BIT(COL_COPY_KIND) | COL_BIT(COL_SRC_KIND) |
				      COL_BIT(COL_DST_KIND) | COL_BIT(COL_BYTES);
	const uint32_t range_columns = COLS_TIMES | COL_BIT(COL_EVENT_TYPE) | COL_BIT(COL_NAME);

	if (ops_open(&x->ops, x->trace, e) < 0 || ops_find_fill(&x->ops, e) < 0 ||
	    trace_load(x->trace, TRACE_MEMCPYS, copy_columns, e) < 0 ||
	    gap_judge_open(&x->judge, x->trace, e) < 0 ||
	    trace_load(x->trace, TRACE_NVTX, range_columns, e) < 0)
		return -1;
	/* All names that anybody folds are loaded by now. */
	if (look_for_samples(x, e) < 0)
		return -1;
	x->folded = fold_names(&x->trace->names, &x->report->arena, &x->folded_names);
	x->compiles = explain_find_compiling(&x->folded_names);
	/* Before the walk, which all cores share: while this one does it others have other work. */
	if (explain_phases(x, e) < 0 || explain_code_read(x, e) < 0 || explain_walk(x, e) < 0)
		return -1;
	if (timeline_require(&x->timeline, x->trace, &x->scope, e) < 0)
		return -1;
	x->window_ns = x->timeline.to_ns - x->timeline.from_ns;
	x->slack_ns = find_slack(x);
	sort_slow_launches(x);
	explain_add_kernels(x);
	if (find_program(x, e) < 0)
		return -1;
	add_thread_times(x);
	add_graphs(x);
	stalls_sort(&x->managed);
	if (explain_counters_read(x, e) < 0 || explain_read_faults(x, e) < 0)
		return -1;
	return explain_host_waits(x, e);
}

static int find_all(struct explain *x, struct err *e)
{
	if (explain_find_start(x, e) < 0)
		return -1;
	explain_gaps(x);
	if (explain_launches(x, e) < 0)
		return -1;
	if (explain_copies(x, e) < 0 || explain_managed(x, e) < 0)
		return -1;
	if (explain_ranks(x, e) < 0)
		return -1;
	if (explain_kernels(x, e) < 0 || explain_tensor_cores(x, e) < 0)
		return -1;
	explain_devices(x);
	if (explain_capture(x, e) < 0)
		return -1;
	if (explain_run(x, e) < 0)
		return -1;
	explain_warm_up(x);
	explain_rank(x);
	explain_verdict(x);
	explain_price(x);
	return explain_workload(x, e);
}

/* Grids are large, and needed to see how much of a GPU kernels fill: that is seen at once. */
int explain_prepare(struct trace *t, struct err *e)
{
	struct ops fill = {.trace = t};
	int result;

	if (trace_load(t, TRACE_KERNELS,
		       COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_NAME) | ops_fill_columns(t) |
			       launches_columns(t),
		       e) < 0)
		return -1;
	result = ops_find_fill(&fill, e);
	/* The cache keeps it, unless others do without it at the moment. */
	ops_close(&fill);
	if (result < 0)
		return -1;
	/* Samples of Python lie among the ranges. */
	return code_read_beside(t, COLS_RANGES, e);
}

int explain_make(struct explain *x, struct trace *t, const struct explain_args *a, struct report *r,
		 struct err *e)
{
	int result;

	*x = (struct explain){.trace = t, .report = r, .args = a, .scope = a->scope};
	result = collect(x, e);
	if (result == 0)
		result = find_all(x, e);
	if (result < 0)
		explain_free(x);
	return result;
}

void explain_free(struct explain *x)
{
	gap_judge_close(&x->judge);
	timeline_free(&x->timeline);
	ops_close(&x->ops);
	free_sums(x);
	strtab_free(&x->folded_names);
	free(x->compiles);
	strtab_free(&x->stems);
	free(x->folded);
	free(x->stalls.all);
	free(x->managed.all);
	explain_faults_free(x);
	explain_code_free(x);
	explain_counters_free(x);
	explain_waits_free(&x->waits);
	cpu_events_free(&x->switches);
	free(x->copy_times);
	free(x->first_run_ns);
	free(x->copy_sort);
	free(x->kernels);
	free(x->found);
	phases_free(&x->phases);
	*x = (struct explain){0};
}

const struct option_group coverage_options =
	OPTIONS(struct coverage_args,
		{.type = OPTION_SHARE,
		 .name = "nvtx-coverage-warn-threshold",
		 .value = "X",
		 OPT_MEMBER(struct coverage_args, warn, double),
		 .initial = "0.70",
		 .help = "warn if less than this share of kernel time is in NVTX ranges"});

const struct option_group explain_options = OPTIONS(
	struct explain_args, OPT_INCLUDE(struct explain_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct explain_args, comm, struct comm_args, comm_options),
	OPT_INCLUDE(struct explain_args, coverage, struct coverage_args, coverage_options),
	OPT_INCLUDE(struct explain_args, price, struct price_args, price_options));

static const struct option_group findings_options =
	OPTIONS(struct explain_args, OPT_SAME(explain_options),
		OPT_INCLUDE(struct explain_args, scope, struct scope, phase_options));

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct explain_args *a = args;
	struct explain x;
	int result;

	if (explain_make(&x, t, a, r, e) < 0)
		return -1;
	result = explain_window(&x, self, e);
	if (result == 0)
		result = other_processes_report(r, t, &x.scope, &x.timeline, e);
	explain_report(&x);
	explain_free(&x);
	return result;
}

static const struct topic topics_findings[] = {
	{.words = "why cause reason root problem issue fix improve optimize optimise speed faster "
		  "slow lose lost waste wasted recover gain recommend advice suggestion do next "
		  "bubble stall starve bound regression inefficient inefficiency low utilization",
	 .questions = "why is it slow\n"
		      "diagnose this run\n"
		      "what is the program waiting for\n"
		      "why is my training slow\n"
		      "why is the GPU idle\n"
		      "why are there bubbles in the pipeline\n"
		      "why is the GPU utilization low\n"
		      "what is the problem with this run\n"
		      "what should I fix first\n"
		      "how can I make it faster\n"
		      "what should I do next\n"
		      "what wastes the most time\n"
		      "how much time could I save\n"
		      "what is the biggest loss of time\n"
		      "why does the GPU wait\n"
		      "why does a step take so long\n"},
	{.words =
		 "scaling scale disk network lock gil queue narrow fill filled few blocks grid "
		 "occupancy "
		 "underfilled tiny storm launch bound "
		 "pageable blocking item sync stall starve starving starved input data loader late "
		 "straggler skew throttle throttling falls clock fault faults prefetch compile "
		 "compilation jit malloc allocation cache cold",
	 .questions = "is there a kernel that does not fill the GPU\n"
		      "is it launch bound\n"
		      "is the GPU starved for input\n"
		      "are there blocking copies\n"
		      "does the data loader keep the GPU waiting\n"
		      "is anything compiled at run time\n"
		      "is something wrong with the run\n"
		      "is the GPU throttled\n"
		      "is there anything to improve\n"},
	{0},
};

const struct analysis analysis_findings = {
	.name = "findings",
	.title = "What to do next",
	.summary = "ranked causes of lost time: cost, evidence, what to do",
	.example = "gpuwhy findings trace.sqlite --iteration 12",
	.detail = "Causes are ranked by severity, then by recoverable time: how much shorter the "
		  "window would be without them, estimated on the timeline; of several captures of "
		  "one job a late rank comes first. Host work while the GPU is busy costs nothing "
		  "and is not reported.",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.prepare = explain_prepare,
	.options = &findings_options,
	.run = run,
	.otherwise = no_gpu_work_answer,
	.topics = topics_findings,
};
