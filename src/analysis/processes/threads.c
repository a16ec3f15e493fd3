/* Which threads are busy on the CPU, in CUDA calls, waiting for the GPU? */
#include "analysis/cell_values.h"
#include "analysis/processes/thread_facts.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "trace/system/machine.h"

static const struct column columns[] = {
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"tid", "TID", UNIT_ID, 0, "tid:", SHOW},
	{"thread", "Thread", UNIT_NAME, 0, NULL, SHOW},
	{"cpu_pct", "CPU %", UNIT_PERCENT, 0, NULL, SHOW},
	{"cpu_from", "CPU source", UNIT_NAME, 0, NULL, SHOW},
	{"cpu_ns", "CPU time", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"samples", "Samples", UNIT_COUNT, 0, NULL, SHOW_IF_ROOM},
	{"cuda_ns", "In CUDA", UNIT_NS, 0, NULL, SHOW},
	{"cuda_pct", "% of window", UNIT_PERCENT, 0, NULL, SHOW},
	{"blocked_ns", "Blocked", UNIT_NS, 0, NULL, SHOW},
	{"calls", "Calls", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"launches", "Launches", UNIT_COUNT, 0, NULL, SHOW_PREFERRED},
	{"nvtx_ns", "In ranges", UNIT_NS, 0, NULL, SHOW_PREFERRED},
	{"ranges", "Ranges", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
};

struct view {
	const struct thread_facts *facts;
	const struct host_names *host_names;
	int64_t window_ns;
};

/* Exact where switches were recorded; where only samples were, a share of those. */
static struct cell share_cell(const struct view *v, const struct thread_fact *t)
{
	const struct thread_facts *f = v->facts;

	if (f->has_switches)
		return t->has_switches ? pct_cell(t->cpu_ns, v->window_ns) : cell_null();
	if (!f->has_samples)
		return cell_null();
	return f->cycles ? pct_cell(t->cycles, f->cycles)
			 : pct_cell((int64_t)t->samples, (int64_t)f->samples);
}

static struct cell source_cell(const struct view *v, const struct thread_fact *t)
{
	if (v->facts->has_switches)
		return t->has_switches ? cell_text("switches") : cell_null();
	return v->facts->has_samples ? cell_text("samples") : cell_null();
}

static struct cell count_if(bool known, uint64_t n)
{
	return known ? cell_int((int64_t)n) : cell_null();
}

static struct cell ns_if(bool known, int64_t ns)
{
	return known ? cell_int(ns) : cell_null();
}

static void add_thread(const struct view *v, struct rows *rows, const struct thread_fact *t)
{
	const struct thread_facts *f = v->facts;
	const struct thread_name *name = host_names_thread(v->host_names, t->key);

	rows_add(rows, cell_int(process_pid(t->key >> 24)));
	rows_add(rows, cell_int(thread_tid(t->key)));
	rows_add(rows, name ? cell_str(name->name) : cell_null());
	rows_add(rows, share_cell(v, t));
	rows_add(rows, source_cell(v, t));
	rows_add(rows, ns_if(t->has_switches, t->cpu_ns));
	rows_add(rows, count_if(f->has_samples, t->samples));
	rows_add(rows, ns_if(f->has_calls, t->cuda_ns));
	rows_add(rows, f->has_calls ? pct_cell(t->cuda_ns, v->window_ns) : cell_null());
	rows_add(rows, ns_if(f->has_waits, t->blocked_ns));
	rows_add(rows, count_if(f->has_calls, t->calls));
	rows_add(rows, count_if(f->has_waits, t->launches));
	rows_add(rows, ns_if(f->has_ranges, t->nvtx_ns));
	rows_add(rows, count_if(f->has_ranges, t->ranges));
}

static int add_table(const struct view *v, const struct table_args *a, struct report *r,
		     struct err *e)
{
	const struct thread_facts *f = v->facts;
	struct rows *rows = report_new_rows(r, "threads", NULL, columns, ARRAY_LEN(columns));
	bool has_cpu = f->has_switches || f->has_samples;

	rows->table.kind = "thread";
	for (size_t i = 0; i < f->count; i++)
		add_thread(v, rows, &f->all[i]);
	rows_hide_empty(rows);
	warn_filtered_out(r, f->count, &a->scope);
	if (!has_cpu)
		report_note(r, "CPU time of threads was not captured: nsys profile "
			       "--cpuctxsw=process-tree records it, --sample=process-tree gives an "
			       "estimate");
	else if (!f->has_switches)
		report_note(r, "CPU is each thread's share of all samples, not of the window: "
			       "capture with --cpuctxsw=process-tree for exact CPU time");
	return rows_arrange(rows, &a->rows,
			    has_cpu	   ? "cpu_pct"
			    : f->has_calls ? "cuda_ns"
					   : "nvtx_ns",
			    e);
}

/* Anything will do; where there is nothing, CUDA calls are what most captures could have. */
static int require_any(struct trace *t, const struct thread_facts *f, struct err *e)
{
	if (f->has_switches || f->has_samples || f->has_calls || f->has_ranges)
		return 0;
	return trace_require(t, TRACE_API, e) < 0
		       ? -1
		       : trace_require_column(t, TRACE_API, COL_THREAD, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct table_args *a = args;
	const struct scope *p = &a->scope;
	struct host_names host_names = {0};
	struct thread_facts facts;
	struct view v = {.facts = &facts, .host_names = &host_names};
	int result = thread_facts_read(t, p, &facts, e);

	if (result == 0)
		result = require_any(t, &facts, e);
	if (result == 0)
		result = window_report(r, self, t, &a->scope, &a->rows, e);
	if (result == 0)
		result = host_names_read(t, &host_names, e);
	if (result == 0) {
		v.window_ns = window_length(r);
		result = add_table(&v, a, r, e);
	}
	host_names_free(&host_names);
	thread_facts_free(&facts);
	return result;
}

static const struct topic topics_threads[] = {
	{.table = "threads",
	 .subject = "thread",
	 .words = "thread threads cpu core utilisation busy blocked tid worker workers",
	 .questions = "which thread launches the kernels\n"
		      "how busy is each CPU thread\n"
		      "how many threads are there\n"
		      "which thread is blocked the longest\n"
		      "what is the CPU usage of the main thread\n"
		      "which thread makes the most CUDA calls\n",
	 .row = "thread {tid}| ({thread})| of process {pid}|: {cuda_ns} in CUDA calls|, {calls} "
		"calls|, {launches} launches|, blocked for {blocked_ns}|, on a CPU {cpu_pct}",
	 .sum = "{#} threads|, {calls} CUDA calls|, {cuda_ns} in them",
	 .by = "cuda_ns"},
	{0},
};

const struct analysis analysis_threads = {
	.name = "threads",
	.title = "Threads",
	.summary = "each thread's CPU share, time in CUDA calls, blocked time",
	.example = "gpuwhy threads trace.sqlite --limit 10",
	.detail = "With context switches (--cpuctxsw), CPU is exact: time on a CPU as a share of "
		  "the window, from the first to the last switch of the capture. With samples only "
		  "(--sample), it is the thread's share of all sampled cycles, so all threads add "
		  "up to 100 %. In CUDA and In ranges count nested calls and ranges once. Blocked "
		  "is waiting for the GPU as in `gpuwhy sync`: blocking calls, and the time above "
		  "the usual in others.\n\n"
		  "A thread near 100 % CPU with little time in CUDA is the host code that "
		  "everything waits for; a thread near 100 % in CUDA and blocked waits for the "
		  "GPU. --device N selects threads that launched work on it.",
	.host = true,
	.options = &table_options,
	.run = run,
	.topics = topics_threads,
};
