/* What is wrong with a capture, what does that mean, and which command line does better? */
#include "analysis/doctor/doctor.h"

#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"

enum {
	SHORT_NS = 100000000,	    /* less GPU activity than this is no basis for averages */
	HEAVY_OVERHEAD_PCT = 5,	    /* of the time with GPU work */
	DENSE_CALLS_PER_S = 100000, /* recording a call takes about a microsecond: a tenth */
	MUCH_HIDDEN_PCT = 10,
	LOW_COVERAGE_PCT = 50,
	FEW_PCT = 1,
};

static const struct column columns[] = {
	{"problem", "", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"title", "Problem", UNIT_NAME, 0, NULL, SHOW},
	{"severity", "Severity", UNIT_NAME, 0, NULL, MACHINE_ONLY},
	{"count", "Count", UNIT_COUNT, 0, NULL, MACHINE_ONLY},
	{"share_pct", "Share", UNIT_PERCENT, 0, NULL, MACHINE_ONLY},
	{"found", "Evidence", UNIT_NAME, 0, NULL, SHOW},
	{"means", "Consequence", UNIT_NAME, 0, NULL, SHOW},
	{"command", "What to do", UNIT_COMMAND, 0, NULL, SHOW},
};

static const char severe[] = "error";	 /* answers are impossible or wrong */
static const char warning[] = "warning"; /* some answers mislead */
static const char notice[] = "note";	 /* good to know */

#define EXPORT_AGAIN \
	"nsys export --type=sqlite --force-overwrite=true -o trace.sqlite report.nsys-rep"

/* What a problem is, whatever the trace. */
struct problem {
	const char *name, *severity, *title, *means;
	unsigned flags;	     /* of the command line that captures anew */
	const char *instead; /* a command of another kind, or NULL */
};

#define PROBLEM(name, severity, title, means, flags, instead) \
	static const struct problem name = {#name, severity, title, means, flags, instead}

PROBLEM(empty_capture, severe, "no GPU work was recorded", "nothing is known about the GPU", 0,
	NULL);
PROBLEM(no_api_calls, severe, "no CUDA calls were recorded",
	"launches, host waits and the reasons for GPU idle time are unknown", 0, NULL);
PROBLEM(work_without_call, warning, "GPU work without the call that launched it",
	"it cannot be assigned to a thread or NVTX range; it was launched before the capture "
	"began, or the export was trimmed",
	FLAG_RANGE, NULL);
PROBLEM(graphs_hide_kernels, severe, "CUDA graphs were recorded without their kernels",
	"the kernels inside them are unknown: kernel shares cover only the remaining work", 0,
	NULL);
PROBLEM(no_nvtx, warning, "no NVTX ranges",
	"time cannot be split by step, phase or layer; annotate the program, or let nsys annotate "
	"PyTorch",
	FLAG_PYTORCH, NULL);
PROBLEM(low_nvtx_coverage, warning, "much GPU work outside NVTX ranges",
	"ranges do not cover the whole program; a range covers only the thread that opens it, and "
	"PyTorch's backward pass runs on a thread of its own",
	FLAG_PYTORCH, NULL);
PROBLEM(dropped_events, severe, "the profiler dropped events",
	"counts and totals are too low, and apparent idle time may not be idle",
	FLAG_FLUSH | FLAG_LIGHT, NULL);
PROBLEM(perhaps_lost_events, notice, "the profiler reports that events may be missing",
	"it reports this whenever a process outlives the capture or exits abruptly; the last "
	"moments may be incomplete",
	FLAG_FLUSH, NULL);
PROBLEM(heavy_profiler, warning, "high profiler overhead",
	"host times are too long, and some GPU idle time is profiler overhead; record less, and "
	"start after warm-up",
	FLAG_LIGHT | FLAG_RANGE, NULL);
PROBLEM(dense_calls, warning, "a very high rate of short CUDA calls",
	"recording a call costs the host about a microsecond: without the profiler the program is "
	"faster and less launch-bound",
	FLAG_LIGHT, NULL);
PROBLEM(short_capture, warning, "a very short capture",
	"warm-up dominates, and averages mean little: capture a few seconds", 0, NULL);
PROBLEM(events_outside_capture, notice, "events outside the capture window",
	"they start before it or end after it; results for the whole capture count them in full, "
	"--trim clips them",
	FLAG_RANGE, NULL);
PROBLEM(negative_durations, severe, "events that end before they start",
	"the clock was set back or rows are damaged: time totals are wrong", 0, NULL);
PROBLEM(events_without_times, severe, "GPU work without start or end",
	"it is not counted; the export is damaged or was made by another tool", 0, EXPORT_AGAIN);
PROBLEM(clocks_apart, warning, "GPU work that starts before its launch call",
	"the CPU and GPU clocks are misaligned: queue and idle times are off by the same amount", 0,
	NULL);
PROBLEM(old_export, notice, "an old export",
	"newer exports contain more; if you still have the report, export it again", 0,
	EXPORT_AGAIN);
PROBLEM(no_gpu_info, notice, "the export does not describe the GPU",
	"its number of SMs is unknown: kernels that fill only part of the GPU cannot be detected",
	0, EXPORT_AGAIN);
PROBLEM(shared_gpu, notice, "several processes share one GPU",
	"without MPS they time-slice, and a kernel's duration may include another process's work",
	0, "gpuwhy kernels TRACE --by process");
PROBLEM(driver_too_new, warning, "the NVIDIA driver is newer than the profiler",
	"CUDA was traced with libraries for an older driver: newer features may be missing; use a "
	"newer Nsight Systems",
	0, NULL);
PROBLEM(no_cpu_samples, notice, "the system did not allow CPU sampling",
	"what the host did outside CUDA and OS calls is unknown", 0,
	"sudo sysctl kernel.perf_event_paranoid=1");
PROBLEM(profiler_errors, notice, "the profiler reported other errors",
	"they may contain paths and names, so they are not shown here: see the Diagnostics Summary "
	"in the Nsight Systems GUI",
	0, "nsys-ui report.nsys-rep");

struct listing {
	struct report *report;
	struct rows *rows; /* NULL before the first */
	unsigned flags;	   /* of all commands */
};

/* `share_pct` below 0: there is no such share. */
static void add_problem(struct listing *l, const struct problem *p, uint64_t count,
			double share_pct, struct buf *found)
{
	struct report *r = l->report;

	if (!l->rows) {
		l->rows = report_new_rows(r, "problems", "Problems", columns, ARRAY_LEN(columns));
		l->rows->table.kind = "problem";
		l->rows->table.facts = true;
	}
	rows_add(l->rows, cell_text(p->name));
	rows_add(l->rows, cell_text(p->title));
	rows_add(l->rows, cell_text(p->severity));
	rows_add(l->rows, cell_int((int64_t)count));
	rows_add(l->rows, share_pct < 0 ? cell_null() : cell_real(share_pct));
	rows_add(l->rows, cell_text(arena_strdup(&r->arena, found->s)));
	rows_add(l->rows, cell_text(p->means));
	rows_add(l->rows,
		 cell_text(p->instead ? p->instead : doctor_command(r, p->flags | l->flags)));
	buf_free(found);
}

static void add_quantity(struct buf *b, uint64_t count, const char *what)
{
	units_add_count(b, (int64_t)count);
	buf_addf(b, " %s", what);
}

static const char *messages(uint64_t count)
{
	return count == 1 ? "profiler message" : "profiler messages";
}

/* A problem that so many of something have, if any. */
static void add_counted(struct listing *l, const struct problem *p, uint64_t count,
			const char *what)
{
	struct buf found = {0};

	if (!count)
		return;
	add_quantity(&found, count, what);
	add_problem(l, p, count, -1, &found);
}

static void add_share(struct buf *b, double pct, const char *of)
{
	buf_adds(b, ", ");
	units_add_fixed(b, pct, 1);
	buf_addf(b, "%% of %s", of);
}

/* What is not there */

static void look_for_work(struct listing *l, const struct capture *c,
			  const struct no_gpu_reason *why)
{
	struct problem p = empty_capture;
	struct buf found = {0};

	if (!why)
		return;
	add_quantity(&found, c->count[TRACE_API],
		     c->count[TRACE_API] ? "CUDA calls, but no kernel, memcpy, memset or graph"
					 : "CUDA calls, and no kernel, memcpy, memset or graph");
	if (c->said.count[DIAGNOSTIC_CUDA_NOT_STARTED])
		buf_adds(&found, "; the profiler reports that CUDA tracing could not be started");
	p.means = arena_printf(&l->report->arena, "%s: %s%s%s", p.means, why->why,
			       why->mend_first ? "; before another capture, " : "",
			       why->mend_first ? why->advice : "");
	p.flags = why->flags;
	add_problem(l, &p, 0, -1, &found);
}

static void look_for_calls(struct listing *l, const struct capture *c)
{
	double share = doctor_percent((double)c->ops_without_call, (double)c->ops);
	struct problem p = c->has_calls ? work_without_call : no_api_calls;
	struct buf found = {0};

	if (!c->ops || !c->ops_without_call)
		return;
	if (share < FEW_PCT)
		p.severity = notice;
	add_quantity(&found, c->ops_without_call, "of ");
	add_quantity(&found, c->ops, "GPU ops");
	add_share(&found, share, "them");
	add_problem(l, &p, c->ops_without_call, share, &found);
}

static void look_at_graphs(struct listing *l, const struct capture *c)
{
	double share = doctor_percent((double)c->graph_time_ns, (double)c->gpu_time_ns);
	struct problem p = graphs_hide_kernels;
	struct buf found = {0};

	if (!c->count[TRACE_GRAPHS])
		return;
	if (share < MUCH_HIDDEN_PCT)
		p.severity = warning;
	add_quantity(&found, c->count[TRACE_GRAPHS], "whole-graph launches");
	add_share(&found, share, "GPU time");
	add_problem(l, &p, c->count[TRACE_GRAPHS], share, &found);
}

static void look_at_ranges(struct listing *l, const struct capture *c)
{
	double share = doctor_percent((double)c->time_in_ranges_ns, (double)c->gpu_time_ns);
	struct buf found = {0};

	if (!c->ops || (c->has_ranges && share >= LOW_COVERAGE_PCT))
		return;
	add_quantity(&found, c->ranges, "ranges");
	if (c->has_ranges)
		add_share(&found, share, "GPU time launched inside ranges");
	add_problem(l, c->has_ranges ? &low_nvtx_coverage : &no_nvtx, c->ranges,
		    c->has_ranges ? share : -1, &found);
}

/* What the profiler did */

static void look_at_losses(struct listing *l, const struct capture *c)
{
	const uint64_t *n = c->said.count;
	uint64_t lost = n[DIAGNOSTIC_CUDA_LOST] + n[DIAGNOSTIC_NVTX_LOST];
	struct buf found = {0};

	add_counted(l, &dropped_events, n[DIAGNOSTIC_DROPPED], messages(n[DIAGNOSTIC_DROPPED]));
	if (lost) {
		add_quantity(&found, lost, messages(lost));
		buf_addf(&found, " about %s",
			 n[DIAGNOSTIC_CUDA_LOST]
				 ? n[DIAGNOSTIC_NVTX_LOST] ? "CUDA and NVTX" : "CUDA"
				 : "NVTX");
		add_problem(l, &perhaps_lost_events, lost, -1, &found);
	}
}

static void look_at_messages(struct listing *l, const struct capture *c)
{
	static const struct {
		enum diagnostic said;
		const struct problem *problem;
	} known[] = {
		{DIAGNOSTIC_DRIVER_TOO_NEW, &driver_too_new},
		{DIAGNOSTIC_NO_SAMPLES, &no_cpu_samples},
		{DIAGNOSTIC_OTHER_ERROR, &profiler_errors},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		uint64_t count = c->said.count[known[i].said];
		struct problem p = *known[i].problem;

		if (known[i].problem == &no_cpu_samples && c->on_windows)
			p.instead = "run nsys as administrator";
		add_counted(l, &p, count, messages(count));
	}
}

static void look_at_overhead(struct listing *l, const struct capture *c)
{
	double share = doctor_percent((double)c->overhead_ns, (double)capture_gpu_span_ns(c));
	struct buf found = {0};

	if (share < HEAVY_OVERHEAD_PCT)
		return;
	units_add_ns(&found, (double)c->overhead_ns);
	buf_adds(&found, " of the ");
	units_add_ns(&found, (double)capture_gpu_span_ns(c));
	buf_adds(&found, " from first to last GPU work");
	add_share(&found, share, "it");
	add_problem(l, &heavy_profiler, 0, share, &found);
}

static void look_at_density(struct listing *l, const struct capture *c)
{
	int64_t span_ns = capture_gpu_span_ns(c);
	double per_s = span_ns > 0 ? (double)c->busiest_calls * 1e9 / (double)span_ns : 0;
	struct buf found = {0};

	if (per_s < DENSE_CALLS_PER_S)
		return;
	add_quantity(&found, (uint64_t)per_s, "calls per second on one thread");
	add_problem(l, &dense_calls, c->busiest_calls, -1, &found);
}

/* What is odd */

static void look_at_span(struct listing *l, const struct capture *c)
{
	struct buf found = {0};

	/* A window that was asked for is as short as it was asked for. */
	if (!c->ops || c->asked->has_trim || capture_gpu_span_ns(c) >= SHORT_NS)
		return;
	units_add_ns(&found, (double)capture_gpu_span_ns(c));
	buf_adds(&found, " from first to last GPU work");
	add_problem(l, &short_capture, c->ops, -1, &found);
}

static void look_at_window(struct listing *l, const struct trace *t, const struct capture *c)
{
	struct buf found = {0};

	if (!c->outside)
		return;
	add_quantity(&found, c->outside, "events; the recorded capture length is ");
	units_add_ns(&found, (double)t->meta.span_ns);
	buf_adds(&found, " long");
	add_problem(l, &events_outside_capture, c->outside, -1, &found);
}

static void look_at_clocks(struct listing *l, const struct capture *c)
{
	double share = doctor_percent((double)c->ops_before_call, (double)c->ops);
	struct buf found = {0};

	add_counted(l, &negative_durations, c->negative, "events");
	add_counted(l, &events_without_times, c->without_times, "GPU ops");
	if (share >= FEW_PCT) {
		add_quantity(&found, c->ops_before_call, "GPU ops");
		add_share(&found, share, "GPU ops, by up to ");
		units_add_ns(&found, (double)c->worst_before_call_ns);
		add_problem(l, &clocks_apart, c->ops_before_call, share, &found);
	}
}

static void look_at_export(struct listing *l, const struct trace *t, const struct capture *c)
{
	struct buf found = {0};

	if (c->old_schema) {
		buf_addf(&found, "%s", c->old_schema);
		add_problem(l, &old_export, 1, -1, &found);
	}
	if (c->ops && !c->has_gpu_info) {
		buf_addf(&found, "%s",
			 sqlitefile_find_table(t->file, "TARGET_INFO_GPU")
				 ? "TARGET_INFO_GPU does not contain the number of SMs"
				 : "no table TARGET_INFO_GPU");
		add_problem(l, &no_gpu_info, 1, -1, &found);
	}
}

static void look_at_sharing(struct listing *l, const struct capture *c)
{
	struct buf found = {0};

	if (!c->shared_gpus)
		return;
	add_quantity(&found, c->most_sharing, "processes");
	if (c->shared_gpus > 1) {
		buf_adds(&found, " at most, on ");
		add_quantity(&found, c->shared_gpus, "GPUs");
	}
	add_problem(l, &shared_gpu, c->shared_gpus, -1, &found);
}

void doctor_add_problems(struct report *r, const struct trace *t, const struct capture *c,
			 const struct no_gpu_reason *why)
{
	struct listing l = {.report = r, .flags = c->on_windows ? FLAG_WINDOWS : 0};

	look_for_work(&l, c, why);
	look_for_calls(&l, c);
	look_at_graphs(&l, c);
	look_at_losses(&l, c);
	look_at_clocks(&l, c);
	look_at_ranges(&l, c);
	look_at_overhead(&l, c);
	look_at_density(&l, c);
	look_at_span(&l, c);
	look_at_messages(&l, c);
	look_at_window(&l, t, c);
	look_at_export(&l, t, c);
	look_at_sharing(&l, c);
	if (!l.rows)
		report_note(r, "No problems found.");
}
