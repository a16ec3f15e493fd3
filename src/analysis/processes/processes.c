/* Which process did what? */
#include "analysis/cell_values.h"
#include "analysis/gpu/gpu_work.h"
#include "analysis/kernel_names.h"
#include "analysis/processes/process_facts.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/system/machine.h"

#include <stdlib.h>

enum { TOP = 3 };

static const struct column process_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"host", "Host", UNIT_ID, 0, "host:", MACHINE_ONLY},
	{"process", "Process", UNIT_NAME, 0, NULL, SHOW},
	{"kernel_ns", "Kernel time", UNIT_NS, 0, NULL, SHOW},
	{"kernel_pct", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"kernels", "Kernels", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"launches_per_s", "Launches/s", UNIT_RATIO, 0, NULL, SHOW},
	{"storm", "Storm", UNIT_BOOL, 0, NULL, SHOW},
	{"blocked_ns", "Blocked", UNIT_NS, 0, NULL, SHOW},
	{"ranges", "Ranges", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"launched_pct", "Launch known %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"in_ranges_pct", "In ranges %", UNIT_PERCENT, 0, NULL, SHOW_IF_ROOM},
	{"top_kernel", "Top kernel", UNIT_KERNEL, 0, NULL, MACHINE_ONLY},
	{"second_kernel", "Second kernel", UNIT_KERNEL, 0, NULL, MACHINE_ONLY},
	{"third_kernel", "Third kernel", UNIT_KERNEL, 0, NULL, MACHINE_ONLY},
};

static const struct column kernel_columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"host", "Host", UNIT_ID, 0, "host:", MACHINE_ONLY},
	{"kernel", "Kernel", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"process_pct", "% of process", UNIT_PERCENT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
};

/* A kernel of a process. */
struct process_kernel {
	uint32_t process; /* index into the facts */
	uint32_t name;
	int64_t total_ns;
	uint64_t count;
};

struct view {
	struct trace *trace;
	const struct scope *p;
	const struct row_choice *rows;
	struct report *report;
	struct host_names host_names;
	struct process_facts facts;
	struct process_kernel *kernels; /* by process, then by time */
	size_t kernel_count;
	size_t *first; /* of each process's kernels; facts.count + 1 entries */
};

static bool is_nobody(const struct view *v, size_t process)
{
	return process + 1 == v->facts.count;
}

static struct cell process_cell(const struct view *v, size_t process)
{
	return is_nobody(v, process) ? cell_null()
				     : cell_int(process_pid(v->facts.items[process].key));
}

/* Host and virtual machine, as the export numbers them. */
static struct cell host_cell(const struct view *v, size_t process)
{
	return is_nobody(v, process) ? cell_null()
				     : cell_int((int64_t)(v->facts.items[process].key >> 24));
}

static int compare_kernels(const void *a, const void *b, void *ctx)
{
	const struct process_kernel *x = a, *y = b;

	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return str_cmp(trace_name(ctx, x->name), trace_name(ctx, y->name));
}

static void sum_kernels(struct view *v, const struct grouping *g)
{
	v->kernel_count = g->count;
	v->kernels = mem_zalloc(g->count, sizeof(*v->kernels));
	for (size_t i = 0; i < g->count; i++) {
		uint32_t process = g->keys[i].process;

		v->kernels[i].name = g->keys[i].name;
		v->kernels[i].process =
			process < v->facts.count ? process : (uint32_t)v->facts.count - 1;
	}
	for (uint64_t i = 0; i < v->trace->events[TRACE_KERNELS].count; i++) {
		struct process_kernel *k;

		if (g->group[i] == GROUP_NONE)
			continue;
		k = &v->kernels[g->group[i]];
		k->total_ns = sat_add(k->total_ns, g->duration_ns[i]);
		k->count++;
	}
	sort_stable(v->kernels, v->kernel_count, sizeof(*v->kernels), compare_kernels, v->trace);
}

static int read_kernels(struct view *v, struct err *e)
{
	struct kernel_names names;
	struct grouping g;
	int result;

	v->first = mem_zalloc(v->facts.count + 1, sizeof(*v->first));
	if (!v->facts.has_kernels)
		return 0;
	if (kernel_names_read(v->trace, NULL, NULL, &names, e) < 0)
		return -1;
	result = grouping_make(v->trace, TRACE_KERNELS, names.of_kernel, v->p, BY_PROCESS, &g, e);
	if (result == 0) {
		sum_kernels(v, &g);
		warn_without_times(v->report, g.without_times, TRACE_KERNELS);
		grouping_free(&g);
	}
	kernel_names_free(&names);
	for (size_t i = 0, k = 0; i <= v->facts.count; i++) {
		while (k < v->kernel_count && v->kernels[k].process < i)
			k++;
		v->first[i] = k;
	}
	return result;
}

static struct cell share_cell(double part, double whole)
{
	return whole > 0 ? cell_real(part * 100 / whole) : cell_null();
}

static void add_process(struct view *v, struct rows *rows, size_t i, double all_ns)
{
	const struct process_fact *f = &v->facts.items[i];
	const bool kernels = v->facts.has_kernels, calls = v->facts.has_calls;
	double rate = process_launch_rate(f);

	rows_add(rows, process_cell(v, i));
	rows_add(rows, host_cell(v, i));
	rows_add(rows, is_nobody(v, i) ? cell_null()
				       : text_or_null(host_names_process(&v->host_names, f->key)));
	rows_add(rows, kernels ? cell_int(f->kernel_ns) : cell_null());
	rows_add(rows, share_cell((double)f->kernel_ns, all_ns));
	rows_add(rows, kernels ? cell_int((int64_t)f->kernels) : cell_null());
	rows_add(rows, calls ? cell_int((int64_t)f->launches) : cell_null());
	rows_add(rows, rate > 0 ? cell_real(rate) : cell_null());
	rows_add(rows, calls ? cell_int(f->storm) : cell_null());
	rows_add(rows, calls ? cell_int(f->blocked_ns) : cell_null());
	rows_add(rows, v->facts.has_ranges ? cell_int((int64_t)f->ranges) : cell_null());
	rows_add(rows, share_cell((double)f->kernels_with_call, (double)f->kernels));
	rows_add(rows, share_cell((double)f->in_ranges_ns, (double)f->kernel_ns));
	for (size_t k = v->first[i]; k < v->first[i] + TOP; k++)
		rows_add(rows, k < v->first[i + 1]
				       ? cell_str(trace_name(v->trace, v->kernels[k].name))
				       : cell_null());
}

static bool has_anything(const struct process_fact *f)
{
	return f->kernels || f->launches || f->blocked_ns || f->ranges;
}

static int add_processes(struct view *v, struct err *e)
{
	struct rows *rows = report_new_rows(v->report, "processes", NULL, process_columns,
					    ARRAY_LEN(process_columns));
	double all_ns = 0;

	rows->table.kind = "process";
	for (size_t i = 0; i < v->facts.count; i++)
		all_ns += (double)v->facts.items[i].kernel_ns;
	for (size_t i = 0; i < v->facts.count; i++) {
		if (has_anything(&v->facts.items[i]))
			add_process(v, rows, i, all_ns);
	}
	return rows_arrange(rows, v->rows, "kernel_ns", e);
}

/* People see the first few of each process, and how many more there are. */
static void add_kernels(struct view *v)
{
	struct rows *rows;

	if (!v->kernel_count)
		return;
	rows = report_new_rows(v->report, "process_kernels", "Top kernels of each process",
			       kernel_columns, ARRAY_LEN(kernel_columns));
	for (size_t k = 0; k < v->kernel_count; k++) {
		const struct process_kernel *kernel = &v->kernels[k];
		const struct process_fact *f = &v->facts.items[kernel->process];

		if (v->rows->limit && k >= v->first[kernel->process] + TOP)
			continue;
		rows_add(rows, process_cell(v, kernel->process));
		rows_add(rows, host_cell(v, kernel->process));
		rows_add(rows, cell_str(trace_name(v->trace, kernel->name)));
		rows_add(rows, cell_int(kernel->total_ns));
		rows_add(rows, share_cell((double)kernel->total_ns, (double)f->kernel_ns));
		rows_add(rows, cell_int((int64_t)kernel->count));
	}
	rows->table.total_rows = v->kernel_count;
}

static void report_quality(struct view *v)
{
	struct process_fact all = {0};

	for (size_t i = 0; i < v->facts.count; i++) {
		const struct process_fact *f = &v->facts.items[i];

		all.kernels += f->kernels;
		all.kernels_with_call += f->kernels_with_call;
		all.kernel_ns = sat_add(all.kernel_ns, f->kernel_ns);
		all.in_ranges_ns = sat_add(all.in_ranges_ns, f->in_ranges_ns);
	}
	if (!all.kernels)
		return;
	v->report->has_coverage = true;
	v->report->coverage = (double)all.kernels_with_call / (double)all.kernels;
	report_note(v->report,
		    "%.2f%% of kernels have their launch call in the trace; %.2f%% of kernel time "
		    "was launched inside NVTX ranges",
		    v->report->coverage * 100,
		    all.kernel_ns > 0 ? (double)all.in_ranges_ns * 100 / (double)all.kernel_ns : 0);
}

/* Hosts and virtual machines number their processes each for itself. */
static void warn_of_same_pids(const struct view *v)
{
	size_t count = v->facts.count;
	int64_t *pids = mem_alloc(count, sizeof(*pids)), *scratch = mem_alloc(count, sizeof(*pids));
	size_t n = 0, twice = 0;

	for (size_t i = 0; i + 1 < count; i++) {
		if (has_anything(&v->facts.items[i]))
			pids[n++] = process_pid(v->facts.items[i].key);
	}
	sort_i64(pids, scratch, n);
	for (size_t i = 1; i < n; i++)
		twice += pids[i] == pids[i - 1] && (i < 2 || pids[i] != pids[i - 2]);
	if (twice)
		report_warning(v->report,
			       "%zu process %s on more than one host or virtual machine: --pid "
			       "selects all of them; the `host` column of --format json and csv "
			       "distinguishes them",
			       twice, twice == 1 ? "id occurs" : "ids occur");
	free(scratch);
	free(pids);
}

static void free_view(void *p)
{
	struct view *v = p;

	host_names_free(&v->host_names);
	process_facts_free(&v->facts);
	free(v->kernels);
	free(v->first);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	struct view *v = arena_zalloc(&r->arena, 1, sizeof(*v));

	*v = (struct view){.trace = t, .p = p, .rows = &a->rows, .report = r};
	report_on_free(r, free_view, v);
	if (window_report(r, self, t, p, &a->rows, e) < 0 ||
	    host_names_read(t, &v->host_names, e) < 0 ||
	    process_facts_read(t, p, &v->facts, e) < 0 || read_kernels(v, e) < 0)
		return -1;
	report_quality(v);
	warn_of_same_pids(v);
	if (add_processes(v, e) < 0)
		return -1;
	add_kernels(v);
	return warn_of_hidden_graphs(t, r, e);
}

static const struct topic topics_processes[] = {
	{.table = "processes",
	 .subject = "process",
	 .words = "process processes pid program programs",
	 .questions = "how many processes are there\n"
		      "which process uses the GPU most\n"
		      "what does each process do\n"
		      "which PID launches the kernels\n"
		      "how much kernel time has each process\n",
	 .row = "process {pid}| ({process})|: {kernel_ns} of kernel time|, {kernel_pct}|, "
		"{launches} launches|, blocked for {blocked_ns}",
	 .sum = "{#} processes|, {kernel_ns} of kernel time|, {launches} launches",
	 .by = "kernel_ns"},
	{0},
};

const struct analysis analysis_processes = {
	.name = "processes",
	.title = "Processes",
	.order = "kernel time",
	.summary = "launches, blocked time and kernels of each process",
	.example = "gpuwhy processes job.sqlite --pid 472",
	.detail = "Launches are calls that launched kernels or graphs. A storm is at least 50,000 "
		  "launches per second of kernels of at most 10 µs, or 100,000 of at most 20 µs, "
		  "on one device. Blocked is time in blocking calls, summed over threads. Launch "
		  "known is the share of kernels whose launch call is in the trace; In ranges, the "
		  "share of kernel time launched inside NVTX ranges.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_GRAPHS) | NEEDS(TRACE_API),
	.joins = true,
	.options = &table_options,
	.run = run,
	.topics = topics_processes,
};
