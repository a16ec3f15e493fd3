/* Where did the time of each GPU go? */
#include "analysis/cell_values.h"
#include "analysis/gpu/other_processes.h"
#include "analysis/gpu/partition.h"
#include "analysis/gpu/process_gpus.h"
#include "analysis/gpu/timeline.h"
#include "analysis/gpu/whole_run.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "base/saturate.h"

#include <stdlib.h>

enum { TOP_ROWS = 10 };

static const struct column stream_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"pid", "PID", UNIT_ID, 0, "pid:", SHOW},
	{"stream", "Stream", UNIT_ID, 0, "stream:", SHOW},
	{"total_ns", "GPU time", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_window", "% of window", UNIT_PERCENT, 0, NULL, SHOW},
	{"ops", "Ops", UNIT_COUNT, 0, NULL, SHOW},
	{"kernel_ns", "Kernel time", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
	{"copy_ns", "Copy time", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

struct stream {
	uint32_t pair, stream;
	uint64_t ops;
	int64_t kernel_ns, copy_ns, total_ns;
};

struct streams {
	struct trace *trace;
	const struct timeline *timeline;
	struct process_gpus pairs;
	struct idmap numbers; /* pair, stream */
	uint32_t last;	      /* of the op before */
	struct stream *all;
	size_t count, cap;
};

/* The stream of an op, where it is asked for: nearly always that of the op before. */
static struct stream *find_stream(struct streams *s, const struct events *ev, uint64_t row)
{
	uint32_t pair = process_gpus_number(&s->pairs, ev, row), stream = ev->stream[row];

	if (!s->pairs.all[pair].wanted)
		return NULL;
	if (s->count && s->all[s->last].pair == pair && s->all[s->last].stream == stream)
		return &s->all[s->last];
	s->last = idmap_number_pair(&s->numbers, pair, stream);
	if (s->last == s->count) {
		MEM_GROW(s->all, s->cap, s->count + 1);
		s->all[s->count++] = (struct stream){.pair = pair, .stream = stream};
	}
	return &s->all[s->last];
}

static void add_op(struct streams *s, enum trace_kind kind, uint64_t row)
{
	const struct events *ev = &s->trace->events[kind];
	const struct timeline *l = s->timeline;
	int64_t begin = ev->start_ns[row], end = sat_add(begin, ev->duration_ns[row]);
	struct stream *stream;

	begin = begin < l->from_ns ? l->from_ns : begin;
	end = end > l->to_ns ? l->to_ns : end;
	if (end < begin || begin >= l->to_ns)
		return;
	stream = find_stream(s, ev, row);
	if (!stream)
		return;
	stream->ops++;
	stream->total_ns = sat_add(stream->total_ns, end - begin);
	if (kind == TRACE_MEMCPYS || kind == TRACE_MEMSETS)
		stream->copy_ns = sat_add(stream->copy_ns, end - begin);
	else
		stream->kernel_ns = sat_add(stream->kernel_ns, end - begin);
}

static int read_streams(struct streams *s, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COLS_PROCESS_DEVICE | COL_BIT(COL_STREAM);

	for (int kind = 0; kind < TRACE_GPU_KINDS; kind++) {
		const struct events *ev = &s->trace->events[kind];

		if (trace_load(s->trace, kind, columns, e) < 0)
			return -1;
		for (uint64_t i = 0; ev->stream && i < ev->count; i++) {
			if (ev->duration_ns[i] != DURATION_NONE && ev->duration_ns[i] >= 0)
				add_op(s, (enum trace_kind)kind, i);
		}
	}
	return 0;
}

static void add_stream(struct rows *rows, const struct streams *s, const struct stream *x)
{
	const struct timeline *l = s->timeline;

	rows_add(rows, process_gpu_device_cell(&s->pairs, x->pair));
	rows_add(rows, process_gpu_pid_cell(&s->pairs, x->pair));
	rows_add(rows, id_cell(x->stream));
	rows_add(rows, cell_int(x->total_ns));
	rows_add(rows, pct_cell(x->total_ns, l->to_ns - l->from_ns));
	rows_add(rows, cell_int((int64_t)x->ops));
	rows_add(rows, cell_int(x->kernel_ns));
	rows_add(rows, cell_int(x->copy_ns));
}

static int add_streams(struct report *r, struct trace *t, const struct timeline *l,
		       const struct activity_args *a, struct err *e)
{
	struct streams s = {.trace = t, .timeline = l};
	const struct row_choice top = {.limit = a->rows.limit ? TOP_ROWS : 0};
	struct rows *rows;
	int result = process_gpus_open(&s.pairs, t, &a->scope, e);

	if (result == 0)
		result = read_streams(&s, e);
	rows = report_new_rows(r, "streams", "Busiest streams", stream_columns,
			       ARRAY_LEN(stream_columns));
	for (size_t i = 0; i < s.count; i++)
		add_stream(rows, &s, &s.all[i]);
	idmap_free(&s.numbers);
	process_gpus_close(&s.pairs);
	free(s.all);
	return result < 0 ? -1 : rows_arrange(rows, &top, "total_ns", e);
}

/* The tables of another analysis below ours; what it needs may not be there. */
static int add_other(struct report *r, const char *name, struct trace *t,
		     const struct activity_args *a, enum group_by by, struct err *e)
{
	const uint64_t limit = a->rows.limit > TOP_ROWS ? TOP_ROWS : a->rows.limit;
	const struct grouped_args top = {.table = {a->scope, {.limit = limit}}, .by = by};

	if (analysis_run(analysis_find(name, false), t, &top, r, e) == 0)
		return 0;
	return e->absent ? 0 : -1;
}

static int add_details(struct report *r, struct trace *t, const struct timeline *l,
		       const struct activity_args *a, struct err *e)
{
	if (add_other(r, "kernels", t, a, BY_NONE, e) < 0)
		return -1;
	if (l->count > 1 && add_other(r, "kernels", t, a, BY_DEVICE, e) < 0)
		return -1;
	return add_other(r, "memory", t, a, BY_NONE, e);
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct activity_args *a = args;
	const struct scope *p = &a->scope;
	const struct whole_run *whole;
	const struct timeline *l;

	if (whole_run_read(t, p, false, 0, r, &whole, e) < 0)
		return -1;
	l = &whole->timeline;
	time_window_report(r, self, l, p);
	time_window_warn(r, &whole->faults);
	if (missing_warn(r, t, e) < 0 || timeline_require(l, t, p, e) < 0 ||
	    partition_report(r, t, l, e) < 0 || other_processes_report(r, t, p, l, e) < 0)
		return -1;
	utilisation_report(&whole->utilisation, r);
	if (add_streams(r, t, l, a, e) < 0 || add_details(r, t, l, a, e) < 0)
		return -1;
	/* Work may outlast the capture, which is all that those below know of. */
	r->window_start_ns = l->from_ns;
	r->window_end_ns = l->to_ns;
	return 0;
}

static const struct topic topics_summary[] = {
	{.table = "gpu_partition",
	 .is_total = true,
	 .subject = "busy utilization breakdown",
	 .words = "busy utilization utilisation usage active idle computing compute breakdown "
		  "partition split share percent percentage portion fraction occupied load what "
		  "happened gpu device",
	 .questions = "how busy is the GPU\n"
		      "what is the GPU utilization\n"
		      "how much of the time is the GPU busy\n"
		      "what percentage of the time is compute\n"
		      "how is the GPU time divided\n"
		      "what share of the window is idle\n"
		      "breakdown of GPU time by class\n"
		      "how busy was GPU 1\n"
		      "what happens on the GPU between 10 and 20 ms\n"
		      "what did the GPU do in this window\n"
		      "which GPU is busiest\n"
		      "compute time compared to idle time\n"
		      "how much exposed copy time is there\n"
		      "is the load on all GPUs the same\n",
	 .row = "GPU {device} computes {compute_pct} of the window ({compute_ns})|, "
		"{exposed_comm_pct} is exposed communication ({exposed_comm_ns})|, "
		"{exposed_copy_pct} exposed copies ({exposed_copy_ns})|, {idle_pct} idle "
		"({idle_ns})|; it is busy for {busy_pct} ({busy_ns})",
	 .by = "busy_ns"},
	{.table = "streams",
	 .subject = "stream",
	 .words = "stream streams time total kernels copies operations busy",
	 .questions = "how much time is spent on stream 7\n"
		      "kernel time on stream 7\n"
		      "how many operations run on stream 7\n"
		      "GPU time by stream\n"
		      "how busy is each stream\n",
	 .row = "stream {stream} of process {pid} on GPU {device} is busy for {total_ns}|, "
		"{pct_of_window} of the window|, with {ops} ops|: {kernel_ns} of kernels|, "
		"{copy_ns} of copies and memsets",
	 .sum = "{#} streams are busy for {total_ns} in all|, with {ops} ops|: {kernel_ns} of "
		"kernels|, {copy_ns} of copies and memsets",
	 .by = "total_ns"},
	{0},
};

const struct analysis analysis_summary = {
	.name = "summary",
	.title = "Where the GPU time went",
	.summary = "each GPU's time: compute, exposed communication and copies, idle",
	.example = "gpuwhy summary trace.sqlite --gpu 0 -o summary.html",
	.detail = "At every instant of the window a GPU computes, or else communicates (exposed "
		  "communication), or else copies (exposed copy), or is idle. The four add up to "
		  "the window, to the nanosecond. Kernel-only figures are included for comparison "
		  "with tools that ignore copies.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.options = &activity_options,
	.run = run,
	.topics = topics_summary,
};
