/* What can this capture answer, what can it not, and how should it have been made? */
#include "analysis/findings/doctor.h"

#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"

static const struct {
	enum capture_flag flag;
	const char *text;
} flag_texts[] = {
	{FLAG_MEMORY_USAGE, "--cuda-memory-usage=true"},
	{FLAG_GPU_METRICS, "--gpu-metrics-devices=all"},
	{FLAG_CPU, "--sample=process-tree --cpuctxsw=process-tree"},
	{FLAG_PYTORCH, "--pytorch=autograd-nvtx"},
	{FLAG_FORK, "--trace-fork-before-exec=true"},
	{FLAG_FLUSH, "--cuda-flush-interval=1000"},
	{FLAG_LIGHT, "--sample=none --cpuctxsw=none --cuda-event-trace=false"},
	{FLAG_RANGE, "--capture-range=cudaProfilerApi --capture-range-end=stop"},
};

const char *doctor_command(struct report *r, unsigned flags)
{
	struct buf b = {0};
	const char *command;

	/* OS runtime calls are many: a light capture does without them. */
	buf_addf(&b, "nsys profile --trace=cuda,nvtx%s --cuda-graph-trace=node",
		 flags & FLAG_LIGHT ? "" : ",osrt");
	for (size_t i = 0; i < ARRAY_LEN(flag_texts); i++) {
		if (flags & flag_texts[i].flag)
			buf_addf(&b, " %s", flag_texts[i].text);
	}
	buf_adds(&b, " -o report -- <your command>");
	command = arena_strdup(&r->arena, b.s);
	buf_free(&b);
	return command;
}

struct doctor_args {
	struct scope scope;
	struct comm_args comm;
};

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct doctor_args *a = args;
	const struct scope *p = &a->scope;
	struct capture c;
	unsigned flags;

	if (capture_measure(t, p, &c, e) < 0)
		return -1;
	if (window_report(r, self, t, p, NULL, e) < 0)
		return -1;
	warn_filtered_out(r, c.ops, p);
	if (scope_filters(p))
		report_note(r, "These checks always cover the whole capture: memory use, GPU "
			       "metrics, CPU activity, profiler messages, processes sharing a GPU, "
			       "and the export's metadata.");
	flags = doctor_add_questions(r, &c);
	doctor_add_problems(r, t, &c);
	if (flags)
		report_note(r, "To answer every question, capture with: %s",
			    doctor_command(r, flags));
	return 0;
}

static const struct option options[] = {
	OPT_INCLUDE(struct doctor_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct doctor_args, comm, struct comm_args, comm_options),
	OPT_END(),
};
static const struct option_group doctor_options = OPTION_GROUP(options, struct doctor_args);

const struct analysis analysis_doctor = {
	.name = "doctor",
	.title = "What this capture can answer",
	.summary = "which questions a capture can answer, and how to capture for the rest",
	.detail = "Checks for what makes answers wrong or impossible: nothing recorded, lost "
		  "events, CUDA graphs without their kernels, GPU work without its launch call, "
		  "high profiler overhead, inconsistent clocks, old exports. Each problem comes "
		  "with a command line for a better capture.\n\n"
		  "--trim, --device and --pid restrict the checks to GPU work, calls and ranges of "
		  "that window, device (calls and ranges: of threads that launched work on it) or "
		  "process.",
	.options = &doctor_options,
	.run = run,
};
