/* What is wrong with a capture, what does that mean, and which command line does better? */
#include "analysis/findings/doctor.h"

#include "analysis/capture/capture_filter.h"
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
	const char *name, *title, *severity, *means;
	unsigned flags;	     /* of the command line that captures anew */
	const char *instead; /* a command of another kind */
};

struct listing {
	struct report *report;
	struct rows *rows; /* NULL before the first */
};

/* `share_pct` below 0: there is no such share. */
static void add(struct listing *l, const struct problem *p, uint64_t count, double share_pct,
		struct buf *found)
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
	rows_add(l->rows, cell_text(p->instead ? p->instead : doctor_command(r, p->flags)));
	buf_free(found);
}

static void add_quantity(struct buf *b, uint64_t count, const char *what)
{
	units_add_count(b, (int64_t)count);
	buf_addf(b, " %s", what);
}

static void add_messages(struct buf *b, uint64_t count)
{
	add_quantity(b, count, count == 1 ? "profiler message" : "profiler messages");
}

static void add_share(struct buf *b, double pct, const char *of)
{
	buf_adds(b, ", ");
	units_add_fixed(b, pct, 1);
	buf_addf(b, "%% of %s", of);
}

static void add_times(struct buf *b, int64_t part_ns, const char *between, int64_t whole_ns)
{
	units_add_ns(b, (double)part_ns);
	buf_addf(b, " %s ", between);
	units_add_ns(b, (double)whole_ns);
}

/* What is not there */

static void look_for_work(struct listing *l, const struct capture *c)
{
	static const struct problem empty = {
		.name = "empty_capture",
		.title = "no GPU work was recorded",
		.severity = severe,
		.means = "nothing is known about the GPU: the program did not use it during the "
			 "capture, a parent process was traced instead, or CUDA was not traced",
		.flags = FLAG_FORK,
	};
	struct buf found = {0};

	/* Where filters have left nothing, nothing is wrong with the capture. */
	if (c->ops || scope_filters(c->asked))
		return;
	add_quantity(&found, c->count[TRACE_API],
		     "CUDA calls, but no kernel, memcpy, memset or graph");
	if (c->said.count[DIAGNOSTIC_CUDA_NOT_STARTED])
		buf_adds(&found, "; the profiler reports that CUDA tracing could not be started");
	add(l, &empty, 0, -1, &found);
}

static void look_for_calls(struct listing *l, const struct capture *c)
{
	static const struct problem no_calls = {
		.name = "no_api_calls",
		.title = "no CUDA calls were recorded",
		.severity = severe,
		.means = "launches, host waits and the reasons for GPU idle time are unknown",
	};
	static const struct problem orphans = {
		.name = "work_without_call",
		.title = "GPU work without the call that launched it",
		.severity = warning,
		.means = "it cannot be assigned to a thread or NVTX range; it was launched before "
			 "the capture began, or the export was trimmed",
		.flags = FLAG_RANGE,
	};
	double share = doctor_percent((double)c->ops_without_call, (double)c->ops);
	struct problem p = c->has_calls ? orphans : no_calls;
	struct buf found = {0};

	if (!c->ops || !c->ops_without_call)
		return;
	if (share < FEW_PCT)
		p.severity = notice;
	add_quantity(&found, c->ops_without_call, "of ");
	add_quantity(&found, c->ops, "operations");
	add_share(&found, share, "them");
	add(l, &p, c->ops_without_call, share, &found);
}

static void look_at_graphs(struct listing *l, const struct capture *c)
{
	static const struct problem opaque = {
		.name = "graphs_hide_kernels",
		.title = "CUDA graphs were recorded without their kernels",
		.severity = severe,
		.means = "the kernels inside them are unknown: kernel shares cover only the "
			 "remaining work",
	};
	double share = doctor_percent((double)c->graph_time_ns, (double)c->gpu_time_ns);
	struct problem p = opaque;
	struct buf found = {0};

	if (!c->count[TRACE_GRAPHS])
		return;
	if (share < MUCH_HIDDEN_PCT)
		p.severity = warning;
	add_quantity(&found, c->count[TRACE_GRAPHS], "whole-graph launches");
	add_share(&found, share, "GPU time");
	add(l, &p, c->count[TRACE_GRAPHS], share, &found);
}

static void look_at_ranges(struct listing *l, const struct capture *c)
{
	static const struct problem none = {
		.name = "no_nvtx",
		.title = "no NVTX ranges",
		.severity = warning,
		.means = "time cannot be split by step, phase or layer; annotate the program, or "
			 "let nsys annotate PyTorch",
		.flags = FLAG_PYTORCH,
	};
	static const struct problem few = {
		.name = "low_nvtx_coverage",
		.title = "much GPU work outside NVTX ranges",
		.severity = warning,
		.means = "ranges do not cover the whole program; a range covers only the thread "
			 "that opens it, and PyTorch's backward pass runs on a thread of its own",
		.flags = FLAG_PYTORCH,
	};
	double share = doctor_percent((double)c->time_in_ranges_ns, (double)c->gpu_time_ns);
	struct buf found = {0};

	if (!c->ops || (c->has_ranges && share >= LOW_COVERAGE_PCT))
		return;
	add_quantity(&found, c->ranges, "ranges");
	if (c->has_ranges)
		add_share(&found, share, "GPU time launched inside ranges");
	add(l, c->has_ranges ? &few : &none, c->ranges, c->has_ranges ? share : -1, &found);
}

/* What the profiler did */

static void look_at_losses(struct listing *l, const struct capture *c)
{
	static const struct problem dropped = {
		.name = "dropped_events",
		.title = "the profiler dropped events",
		.severity = severe,
		.means = "counts and totals are too low, and apparent idle time may not be idle",
		.flags = FLAG_FLUSH | FLAG_LIGHT,
	};
	static const struct problem perhaps = {
		.name = "perhaps_lost_events",
		.title = "the profiler reports that events may be missing",
		.severity = notice,
		.means = "it reports this whenever a process outlives the capture or exits "
			 "abruptly; the last moments may be incomplete",
		.flags = FLAG_FLUSH,
	};
	const uint64_t *n = c->said.count;
	uint64_t lost = n[DIAGNOSTIC_CUDA_LOST] + n[DIAGNOSTIC_NVTX_LOST];
	struct buf found = {0};

	if (n[DIAGNOSTIC_DROPPED]) {
		add_messages(&found, n[DIAGNOSTIC_DROPPED]);
		add(l, &dropped, n[DIAGNOSTIC_DROPPED], -1, &found);
	}
	found = (struct buf){0};
	if (lost) {
		add_messages(&found, lost);
		buf_addf(&found, " about %s",
			 n[DIAGNOSTIC_CUDA_LOST]
				 ? n[DIAGNOSTIC_NVTX_LOST] ? "CUDA and NVTX" : "CUDA"
				 : "NVTX");
		add(l, &perhaps, lost, -1, &found);
	}
}

static void look_at_messages(struct listing *l, const struct capture *c)
{
	static const struct {
		enum diagnostic said;
		struct problem problem;
	} known[] = {
		{DIAGNOSTIC_DRIVER_TOO_NEW,
		 {.name = "driver_too_new",
		  .title = "the NVIDIA driver is newer than the profiler",
		  .severity = warning,
		  .means = "CUDA was traced with libraries for an older driver: newer features may "
			   "be missing; use a newer Nsight Systems"}},
		{DIAGNOSTIC_NO_SAMPLES,
		 {.name = "no_cpu_samples",
		  .title = "the system did not allow CPU sampling",
		  .severity = notice,
		  .means = "what the host did outside CUDA and OS calls is unknown",
		  .instead = "sudo sysctl kernel.perf_event_paranoid=1"}},
		{DIAGNOSTIC_OTHER_ERROR,
		 {.name = "profiler_errors",
		  .title = "the profiler reported other errors",
		  .severity = notice,
		  .means = "they may contain paths and names, so they are not shown here: see the "
			   "Diagnostics Summary in the Nsight Systems GUI",
		  .instead = "nsys-ui report.nsys-rep"}},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		uint64_t count = c->said.count[known[i].said];
		struct buf found = {0};

		if (!count)
			continue;
		add_messages(&found, count);
		add(l, &known[i].problem, count, -1, &found);
	}
}

static void look_at_overhead(struct listing *l, const struct capture *c)
{
	static const struct problem heavy = {
		.name = "heavy_profiler",
		.title = "high profiler overhead",
		.severity = warning,
		.means = "host times are too long, and some GPU idle time is profiler overhead; "
			 "record less, and start after warm-up",
		.flags = FLAG_LIGHT | FLAG_RANGE,
	};
	double share = doctor_percent((double)c->overhead_ns, (double)capture_gpu_span_ns(c));
	struct buf found = {0};

	if (share < HEAVY_OVERHEAD_PCT)
		return;
	add_times(&found, c->overhead_ns, "of the", capture_gpu_span_ns(c));
	buf_adds(&found, " from first to last GPU work");
	add_share(&found, share, "it");
	add(l, &heavy, 0, share, &found);
}

static void look_at_density(struct listing *l, const struct capture *c)
{
	static const struct problem dense = {
		.name = "dense_calls",
		.title = "a very high rate of short CUDA calls",
		.severity = warning,
		.means = "recording a call costs the host about a microsecond: without the "
			 "profiler the program is faster and less launch-bound",
		.flags = FLAG_LIGHT,
	};
	int64_t span_ns = capture_gpu_span_ns(c);
	double per_s = span_ns > 0 ? (double)c->busiest_calls * 1e9 / (double)span_ns : 0;
	struct buf found = {0};

	if (per_s < DENSE_CALLS_PER_S)
		return;
	add_quantity(&found, (uint64_t)per_s, "calls per second on one thread");
	add(l, &dense, c->busiest_calls, -1, &found);
}

/* What is odd */

static void look_at_span(struct listing *l, const struct capture *c)
{
	static const struct problem brief = {
		.name = "short_capture",
		.title = "a very short capture",
		.severity = warning,
		.means = "warm-up dominates, and averages mean little: capture a few seconds",
		.flags = 0,
	};
	struct buf found = {0};

	/* A window that was asked for is as short as it was asked for. */
	if (!c->ops || c->asked->has_trim || capture_gpu_span_ns(c) >= SHORT_NS)
		return;
	units_add_ns(&found, (double)capture_gpu_span_ns(c));
	buf_adds(&found, " from first to last GPU work");
	add(l, &brief, c->ops, -1, &found);
}

static void look_at_window(struct listing *l, const struct trace *t, const struct capture *c)
{
	static const struct problem outside = {
		.name = "events_outside_capture",
		.title = "events outside the capture window",
		.severity = notice,
		.means = "they start before it or end after it; results for the whole capture "
			 "count them in full, --trim clips them",
		.flags = FLAG_RANGE,
	};
	struct buf found = {0};

	if (!c->outside)
		return;
	add_quantity(&found, c->outside, "events; the recorded capture length is ");
	units_add_ns(&found, (double)t->meta.span_ns);
	buf_adds(&found, " long");
	add(l, &outside, c->outside, -1, &found);
}

static void look_at_clocks(struct listing *l, const struct capture *c)
{
	static const struct problem negative = {
		.name = "negative_durations",
		.title = "events that end before they start",
		.severity = severe,
		.means = "the clock was set back or rows are damaged: time totals are wrong",
	};
	static const struct problem unreadable = {
		.name = "events_without_times",
		.title = "GPU work without start or end",
		.severity = severe,
		.means = "it is not counted; the export is damaged or was made by another tool",
		.instead = EXPORT_AGAIN,
	};
	static const struct problem apart = {
		.name = "clocks_apart",
		.title = "GPU work that starts before its launch call",
		.severity = warning,
		.means = "the CPU and GPU clocks are misaligned: queue and idle times are off by "
			 "the same amount",
	};
	double share = doctor_percent((double)c->ops_before_call, (double)c->ops);
	struct buf found = {0};

	if (c->negative) {
		add_quantity(&found, c->negative, "events");
		add(l, &negative, c->negative, -1, &found);
	}
	found = (struct buf){0};
	if (c->without_times) {
		add_quantity(&found, c->without_times, "operations");
		add(l, &unreadable, c->without_times, -1, &found);
	}
	found = (struct buf){0};
	if (share >= FEW_PCT) {
		add_quantity(&found, c->ops_before_call, "operations");
		add_share(&found, share, "operations, by up to ");
		units_add_ns(&found, (double)c->worst_before_call_ns);
		add(l, &apart, c->ops_before_call, share, &found);
	}
}

static void look_at_export(struct listing *l, const struct trace *t, const struct capture *c)
{
	static const struct problem old = {
		.name = "old_export",
		.title = "an old export",
		.severity = notice,
		.means =
			"newer exports contain more; if you still have the report, export it again",
		.instead = EXPORT_AGAIN,
	};
	static const struct problem no_gpu = {
		.name = "no_gpu_info",
		.title = "the export does not describe the GPU",
		.severity = notice,
		.means = "its number of SMs is unknown: kernels that fill only part of the GPU "
			 "cannot be detected",
		.instead = EXPORT_AGAIN,
	};
	struct buf found = {0};

	if (c->old_schema) {
		buf_addf(&found, "%s", c->old_schema);
		add(l, &old, 1, -1, &found);
	}
	found = (struct buf){0};
	if (c->ops && !c->has_gpu_info) {
		buf_addf(&found, "%s",
			 sqlitefile_find_table(t->file, "TARGET_INFO_GPU")
				 ? "TARGET_INFO_GPU does not contain the number of SMs"
				 : "no table TARGET_INFO_GPU");
		add(l, &no_gpu, 1, -1, &found);
	}
}

static void look_at_sharing(struct listing *l, const struct capture *c)
{
	static const struct problem shared = {
		.name = "shared_gpu",
		.title = "several processes share one GPU",
		.severity = notice,
		.means = "without MPS they time-slice, and a kernel's duration may include another "
			 "process's work",
		.instead = "gpuwhy kernels TRACE --by process",
	};
	struct buf found = {0};

	if (!c->shared_gpus)
		return;
	add_quantity(&found, c->most_sharing, "processes");
	if (c->shared_gpus > 1) {
		buf_adds(&found, " at most, on ");
		add_quantity(&found, c->shared_gpus, "GPUs");
	}
	add(l, &shared, c->shared_gpus, -1, &found);
}

void doctor_add_problems(struct report *r, const struct trace *t, const struct capture *c)
{
	struct listing l = {.report = r};

	look_for_work(&l, c);
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
