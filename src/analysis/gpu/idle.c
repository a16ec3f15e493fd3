/* When was each GPU idle, and what did the host do meanwhile? */
#include "analysis/cell_values.h"
#include "analysis/gpu/other_processes.h"
#include "analysis/gpu/timeline.h"
#include "analysis/gpu/whole_run.h"
#include "analysis/time_table.h"
#include "base/mem.h"
#include "report/chart.h"
#include "trace/code/call_lines.h"
#include "trace/system/labels.h"

static const struct column device_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"window_ns", "Window", UNIT_NS, 0, NULL, SHOW},
	{"idle_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"idle_pct", "Idle %", UNIT_PERCENT, 0, NULL, SHOW},
	{"gaps", "Gaps", UNIT_COUNT, 0, NULL, SHOW},
	{"longest_ns", "Longest", UNIT_NS, 0, NULL, SHOW},
};

static const struct column blame_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"blame", "Host activity key", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"meanwhile", "Host activity", UNIT_NAME, 0, NULL, SHOW},
	{"total_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_idle", "% of idle", UNIT_PERCENT, 0, NULL, SHOW},
	{"pct_of_window", "% of window", UNIT_PERCENT, 0, NULL, SHOW},
};

static const struct column histogram_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"under_ns", "Shorter than", UNIT_NS, 0, "under:", SHOW},
	{"gaps", "Gaps", UNIT_COUNT, 0, NULL, SHOW},
	{"total_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_idle", "% of idle", UNIT_PERCENT, 0, NULL, SHOW},
};

static const struct column gap_columns[] = {
	{"device", "Device", UNIT_ID, 0, "dev:", SHOW},
	{"start_ns", "Start", UNIT_TIME_NS, 0, "at:", SHOW},
	{"end_ns", "End", UNIT_TIME_NS, 0, NULL, MACHINE_ONLY},
	{"gap_ns", "Idle", UNIT_NS, 0, NULL, SHOW},
	{"meanwhile", "Main host activity", UNIT_NAME, 0, NULL, SHOW},
	{"range", "NVTX range", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
	{"before", "Previous op", UNIT_KERNEL, 0, NULL, SHOW_IF_ROOM},
	{"after", "Next op", UNIT_KERNEL, 0, NULL, SHOW_IF_ROOM},
	{"sync_ns", "Sync", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"copy_ns", "Copy", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"alloc_ns", "Alloc", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"launch_ns", "Launch", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"cuda_ns", "CUDA", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"host_ns", "Host", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"overhead_ns", "Profiler", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"queued_ns", "Queued", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"unknown_ns", "Unknown", UNIT_NS, 0, NULL, MACHINE_ONLY},
	{"end_blame_ns", "Nothing left", UNIT_NS, 0, NULL, MACHINE_ONLY},
	/* The last one: it is left out where no CUDA call has a backtrace. */
	{"ended_by", "Ended by a call in", UNIT_NAME, 0, NULL, SHOW_PREFERRED},
};

static const char *const class_names[GAP_CLASSES] = {
	"<1 µs",     "1–2 µs",	 "2–5 µs",  "5–10 µs",	 "10–20 µs", "20–50 µs",
	"50–100 µs", "0.1–1 ms", "1–10 ms", "10–100 ms", "≥100 ms",
};

/* What rows are made from, when they are asked for. */
struct study {
	const struct trace *trace;
	const struct timeline *timeline;
	const struct gap_study *gaps;
	struct call_lines lines;
};

static void add_devices(struct report *r, const struct study *s)
{
	struct rows *rows = report_new_rows(r, "gpu_idle", "Devices", device_columns,
					    ARRAY_LEN(device_columns));
	int64_t window_ns = s->timeline->to_ns - s->timeline->from_ns;

	for (size_t i = 0; i < s->timeline->count; i++) {
		const struct device_time *d = &s->timeline->devices[i];

		rows_add(rows, id_cell(d->device));
		rows_add(rows, cell_int(window_ns));
		rows_add(rows, cell_int(d->ns[SLICE_IDLE]));
		rows_add(rows, pct_cell(d->ns[SLICE_IDLE], window_ns));
		rows_add(rows, cell_int((int64_t)s->gaps->devices[i].count));
		rows_add(rows, cell_int(s->gaps->devices[i].longest_ns));
	}
}

static int add_blames(struct report *r, const struct study *s, struct err *e)
{
	struct rows *rows = report_new_rows(r, "idle_blame", "Host activity during idle time",
					    blame_columns, ARRAY_LEN(blame_columns));
	int64_t window_ns = s->timeline->to_ns - s->timeline->from_ns;
	const struct row_choice all = {0};

	for (size_t i = 0; i < s->timeline->count; i++) {
		const struct device_time *d = &s->timeline->devices[i];

		for (int b = 0; b < BLAMES; b++) {
			int64_t ns = s->gaps->devices[i].total_ns[b];

			if (!ns)
				continue;
			rows_add(rows, id_cell(d->device));
			rows_add(rows, cell_text(blame_keys[b]));
			rows_add(rows, cell_text(blame_names[b]));
			rows_add(rows, cell_int(ns));
			rows_add(rows, pct_cell(ns, d->ns[SLICE_IDLE]));
			rows_add(rows, pct_cell(ns, window_ns));
		}
	}
	return rows_arrange(rows, &all, "total_ns", e);
}

static void add_histogram(struct report *r, const struct study *s)
{
	struct rows *rows = report_new_rows(r, "gap_histogram", "Gaps by length", histogram_columns,
					    ARRAY_LEN(histogram_columns));

	for (size_t i = 0; i < s->timeline->count; i++) {
		const struct device_gaps *d = &s->gaps->devices[i];

		for (int c = 0; c < GAP_CLASSES; c++) {
			if (!d->in_class[c])
				continue;
			rows_add(rows, id_cell(s->timeline->devices[i].device));
			rows_add(rows, c + 1 < GAP_CLASSES ? cell_int(gap_class_limits_ns[c])
							   : cell_null());
			rows_add(rows, cell_int((int64_t)d->in_class[c]));
			rows_add(rows, cell_int(d->class_ns[c]));
			rows_add(rows,
				 pct_cell(d->class_ns[c], s->timeline->devices[i].ns[SLICE_IDLE]));
		}
	}
}

/* A part for each device, which needs a name only where there are several. */
static const struct chart_part *device_parts(struct report *r, const struct timeline *l)
{
	struct chart_part *parts = arena_zalloc(&r->arena, l->count, sizeof(*parts));

	if (l->count < 2)
		return NULL;
	for (size_t i = 0; i < l->count; i++)
		parts[i].name = device_label(&r->arena, &l->devices[i]);
	return parts;
}

/* Many short gaps and few long ones have different causes: the number and the time, together. */
static void add_charts(struct report *r, const struct study *s)
{
	const struct chart_part *parts = device_parts(r, s->timeline);
	struct chart *gaps, *time;

	if (!s->timeline->count)
		return;
	gaps = report_new_chart(r, CHART_HISTOGRAM, "Number of gaps by length", UNIT_COUNT,
				GAP_CLASSES, parts, s->timeline->count);
	time = report_new_chart(r, CHART_HISTOGRAM, "Idle time by gap length", UNIT_NS, GAP_CLASSES,
				parts, s->timeline->count);
	for (size_t c = 0; c < GAP_CLASSES; c++) {
		gaps->labels[c] = time->labels[c] = str_of(class_names[c]);
		for (size_t i = 0; i < s->timeline->count; i++) {
			chart_item(gaps, c)[i] = (double)s->gaps->devices[i].in_class[c];
			chart_item(time, c)[i] = (double)s->gaps->devices[i].class_ns[c];
		}
	}
}

static int largest(const int64_t ns[BLAMES])
{
	int most = 0;

	for (int b = 1; b < BLAMES; b++) {
		if (ns[b] > ns[most])
			most = b;
	}
	return most;
}

/* The line of the call that launched what ended the gap. */
static struct cell line_cell(struct study *s, const struct gap *gap)
{
	const uint32_t stack = call_lines_stack(&s->lines, gap->caller, gap->called);
	const uint32_t frame = call_lines_frame(&s->lines, stack);

	return frame == ID_NONE ? cell_null() : cell_literal(call_lines_text(&s->lines, frame));
}

static void gap_row(const void *ctx, uint64_t i, struct cell *out)
{
	struct study *s = (struct study *)ctx;
	const struct trace *t = s->trace;
	const struct gap *gap = &s->gaps->longest.gaps[i];

	*out++ = id_cell(s->timeline->devices[gap->device].device);
	*out++ = cell_int(gap->start_ns);
	*out++ = cell_int(gap->end_ns);
	*out++ = cell_int(gap_ns(gap));
	*out++ = cell_text(blame_names[largest(gap->ns)]);
	*out++ = s->gaps->range_names[i] == NAME_NONE
			 ? cell_null()
			 : cell_str(trace_name(t, s->gaps->range_names[i]));
	*out++ = cell_str(label_op(t, gap->before_kind, gap->before_row));
	*out++ = cell_str(label_op(t, gap->kind, gap->row));
	for (int b = 0; b < BLAMES; b++)
		*out++ = cell_int(gap->ns[b]);
	if (call_lines_any(&s->lines))
		*out = line_cell(s, gap);
}

static void add_gaps(struct report *r, const struct study *s, uint64_t limit)
{
	struct table *table = arena_zalloc(&r->arena, 1, sizeof(*table));
	uint64_t kept = s->gaps->longest.count;

	*table = (struct table){
		.name = "gaps",
		.title = "Longest gaps",
		.kind = "gap",
		.columns = gap_columns,
		.column_count = ARRAY_LEN(gap_columns) - !call_lines_any(&s->lines),
		.rows = limit && limit < kept ? limit : kept,
		.total_rows = s->gaps->count,
		.sorted_by = "gap_ns",
		.row = gap_row,
		.ctx = s,
	};
	report_table(r, table);
}

static void free_lines(void *study)
{
	call_lines_free(&((struct study *)study)->lines);
}

/* Backtraces are read only where the capture is one with them. */
static int read_lines(struct study *s, struct trace *t, struct report *r, struct err *e)
{
	bool expected;

	if (call_lines_expected(t, &expected, e) < 0)
		return -1;
	if (!expected)
		return 0;
	if (call_lines_read(&s->lines, t, e) < 0)
		return -1;
	report_on_free(r, free_lines, s);
	return 0;
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct activity_args *a = args;
	const struct scope *p = &a->scope;
	struct study *s = arena_zalloc(&r->arena, 1, sizeof(*s));
	const struct whole_run *whole;

	/* What stands beside a gap is called by its name. */
	if (trace_load(t, TRACE_MEMCPYS, COL_BIT(COL_COPY_KIND), e) < 0 ||
	    whole_run_read(t, p, true, a->rows.limit, r, &whole, e) < 0)
		return -1;
	*s = (struct study){.trace = t, .timeline = &whole->timeline, .gaps = &whole->gaps};
	if (timeline_require(s->timeline, t, p, e) < 0 || read_lines(s, t, r, e) < 0)
		return -1;
	time_window_report(r, self, s->timeline, p);
	time_window_warn(r, &whole->faults);
	add_devices(r, s);
	if (other_processes_report(r, t, p, s->timeline, e) < 0 || add_blames(r, s, e) < 0)
		return -1;
	add_charts(r, s);
	add_histogram(r, s);
	add_gaps(r, s, a->rows.limit);
	return 0;
}

static const struct topic topics_idle[] = {
	{.table = "gpu_idle",
	 .is_total = true,
	 .subject = "idle gap",
	 .words = "idle gap gaps bubble bubbles empty unused nothing waiting starving starved hole "
		  "pause downtime",
	 .questions = "how long is the GPU idle\n"
		      "how much idle time is there\n"
		      "how many gaps are there\n"
		      "what is the longest gap\n"
		      "how many bubbles are there\n"
		      "how long does the GPU do nothing\n"
		      "total idle time of GPU 0\n"
		      "which GPU is idle the most\n"
		      "what percentage is the GPU idle\n",
	 .row = "GPU {device} is idle for {idle_ns}|, {idle_pct} of the window|, in {gaps} gaps|, "
		"the longest {longest_ns}",
	 .sum = "{idle_ns} idle in {gaps} gaps",
	 .by = "idle_ns"},
	{.table = "gaps",
	 .subject = "gap",
	 .words = "gap gaps bubble longest largest biggest where when hole pause stall single each",
	 .questions = "where is the longest gap\n"
		      "when is the GPU idle the longest\n"
		      "what are the five largest gaps\n"
		      "list the biggest bubbles\n"
		      "show me the gaps\n"
		      "what happens during the longest gap\n"
		      "which kernel runs after the longest gap\n",
	 .row = "a gap of {gap_ns} on GPU {device} at {start_ns}|: the host is {meanwhile}|, in "
		"{range}|; before it {before}|, after it {after}",
	 .sum = "{#} gaps take {gap_ns}",
	 .by = "gap_ns"},
	{.table = "idle_blame",
	 .words = "idle blame host meanwhile doing during gaps cpu activity responsible",
	 .questions = "what does the host do while the GPU is idle\n"
		      "what is the CPU doing during the gaps\n"
		      "who is to blame for idle time\n"
		      "what is the GPU waiting for\n"
		      "how much idle time is caused by synchronization\n"
		      "is the idle time caused by the host\n",
	 .row = "{total_ns} of idle time on GPU {device}|, {pct_of_idle} of it|: {meanwhile}",
	 .by = "total_ns",
	 .needs = "gpu_idle"},
	{0},
};

const struct analysis analysis_idle = {
	.name = "idle",
	.title = "Idle GPUs",
	.summary = "gaps of each GPU, and host activity during each gap",
	.example = "gpuwhy idle trace.sqlite --iteration 12 --limit 10",
	.detail = "A gap is a stretch in which a GPU runs no kernel, copy, memset or graph. For "
		  "each gap, host activity is what the thread that launched the next op was doing, "
		  "by time: synchronising, copying, allocating, launching, in another CUDA call, "
		  "outside CUDA (the NVTX range shows where), or in profiler overhead. A gap is "
		  "queued if its next op was launched before the gap began.",
	.needs_any = NEEDS(TRACE_KERNELS) | NEEDS(TRACE_MEMCPYS) | NEEDS(TRACE_MEMSETS) |
		     NEEDS(TRACE_GRAPHS),
	.joins = true,
	.options = &activity_options,
	.run = run,
	.topics = topics_idle,
};
