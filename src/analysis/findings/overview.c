/* In one screen: where did the time go, and what is worth doing? */
#include "analysis/cell_values.h"
#include "analysis/findings/explain.h"
#include "analysis/gpu/other_processes.h"
#include "analysis/gpu/partition.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "text/units.h"
#include "trace/system/machine.h"

enum { TOP_KERNELS = 5 };

static const struct column kernel_columns[] = {
	{"kernel", "Top kernels", UNIT_KERNEL, 0, "", SHOW},
	{"total_ns", "Total", UNIT_NS, 0, NULL, SHOW},
	{"pct_of_kernels", "Share", UNIT_PERCENT, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"avg_ns", "Avg", UNIT_NS, 0, NULL, SHOW_IF_ROOM},
};

/* "NVIDIA H200" or "NVIDIA H200 and 3 more GPUs": those that worked, of all that are there. */
static void add_gpus(struct buf *b, const struct machine *m)
{
	const struct gpu *first = NULL;
	size_t more = 0;

	for (size_t i = 0; i < m->gpu_count; i++) {
		if (m->gpus[i].worked && first)
			more++;
		else if (m->gpus[i].worked)
			first = &m->gpus[i];
	}
	if (!first)
		return;
	buf_adds(b, ", ");
	buf_addstr(b, first->name);
	if (more)
		buf_addf(b, " and %zu more GPU%s", more, more > 1 ? "s" : "");
}

static int add_trace(struct report *r, struct trace *t, struct err *e)
{
	struct span capture = SPAN_NONE;
	struct machine machine;
	struct buf b = {0};

	if (machine_read(t, &machine, e) < 0 || machine_find_work(t, &machine, e) < 0 ||
	    (t->meta.has_span && window_of_capture(t, &capture, e) < 0))
		return -1;
	buf_adds(&b, t->meta.tool ? t->meta.tool : "An Nsight Systems export of unknown version");
	add_gpus(&b, &machine);
	if (capture.end_ns >= capture.start_ns) {
		buf_adds(&b, ", capture of ");
		units_add_ns(&b, (double)sat_sub(capture.end_ns, capture.start_ns));
	}
	report_note(r, "%s", b.s);
	buf_free(&b);
	return 0;
}

static void add_kernels(struct report *r, const struct explain *x)
{
	size_t shown = x->kernel_count < TOP_KERNELS ? x->kernel_count : TOP_KERNELS;
	struct rows *rows;

	if (!shown)
		return;
	rows = report_new_rows(r, "top_kernels", NULL, kernel_columns, ARRAY_LEN(kernel_columns));
	rows->table.kind = "kernel";
	for (size_t i = 0; i < shown; i++) {
		const struct kernel_time *k = &x->kernels[i];

		rows_add(rows, cell_str(trace_name(x->trace, k->name)));
		rows_add(rows, cell_int(k->total_ns));
		rows_add(rows, pct_cell(k->total_ns, x->kernel_ns));
		rows_add(rows, cell_int((int64_t)k->count));
		rows_add(rows, cell_real((double)k->total_ns / (double)k->count));
	}
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct explain_args *a = args;
	struct explain x;
	int result;

	r->brief = true;
	if (add_trace(r, t, e) < 0 || explain_make(&x, t, a, r, e) < 0)
		return -1;
	result = explain_window(&x, self, e);
	if (x.scope.steps_chart)
		report_note(r, "%s", x.scope.steps_chart);
	if (result == 0)
		result = partition_report(r, t, &x.timeline, e);
	if (result == 0)
		result = other_processes_report(r, t, &x.scope, &x.timeline, e);
	add_kernels(r, &x);
	report_heading(r, "What to do next");
	explain_report(&x);
	report_note(r, "Next: gpuwhy %s", verdict_next(&x));
	report_note(r, "Over time: gpuwhy %s", verdict_command(&x, "timeline"));
	explain_free(&x);
	return result;
}

static int run_otherwise(const struct analysis *self, struct trace *t, const void *args,
			 struct report *r, struct err *e)
{
	r->brief = true;
	if (add_trace(r, t, e) < 0)
		return -1;
	return no_gpu_work_answer(self, t, args, r, e);
}

static const struct topic topics_overview[] = {
	{.subject = "overview summary bottleneck",
	 .words = "overview overall general whole picture health healthy big picture verdict "
		  "bottleneck bound status situation tldr gist short",
	 .questions = "give me an overview\n"
		      "where did the time go\n"
		      "what is the bottleneck\n"
		      "is this run healthy\n"
		      "is it compute bound or memory bound or host bound\n"
		      "summarize this profile\n"
		      "what does this capture show\n"},
	{0},
};

const struct analysis analysis_overview = {
	.name = "overview",
	.title = "Where the GPU time went",
	.summary = "where the time went and what to do, on one screen",
	.example = "gpuwhy trace.sqlite",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.prepare = explain_prepare,
	.options = &explain_options,
	.run = run,
	.otherwise = run_otherwise,
	.topics = topics_overview,
};
