/* What can this capture answer, what can it not, and how should it have been made? */
#include "analysis/doctor/doctor.h"

#include "analysis/cell_values.h"
#include "analysis/time_table.h"
#include "analysis/window.h"
#include "base/buf.h"
#include "base/mem.h"
#include "text/units.h"
#include "trace/code/places.h"
#include "trace/code/samples.h"

enum { WELL_COVERED_PCT = 90, BARELY_COVERED_PCT = 1 };

enum verdict { NO, PARTLY, YES };

struct answer {
	enum verdict verdict;
	const char *why;
	const char *fix; /* flags of nsys profile; NULL: nothing to fix */
	unsigned flags;	 /* the same for doctor_command(); ALWAYS: those it always has */
};

enum { ALWAYS = 1 << 30 };

static const struct column columns[] = {
	{"question", "", UNIT_NAME, 0, "", MACHINE_ONLY},
	{"title", "Question", UNIT_NAME, 0, NULL, SHOW},
	{"verdict", "Answer", UNIT_NAME, 0, NULL, SHOW},
	{"why", "Why", UNIT_NAME, 0, NULL, SHOW},
	{"flags", "Capture with", UNIT_COMMAND, 0, NULL, SHOW},
};

static struct answer nothing_ran(const struct capture *c, bool was_traced)
{
	if (scope_filters(c->asked))
		return (struct answer){NO, "no GPU work matches the filters", NULL, 0};
	/* The same options would bring nothing else: the problems say why. */
	if (was_traced)
		return (struct answer){NO, "CUDA was traced, but no GPU work was recorded", NULL,
				       ALWAYS};
	return (struct answer){NO, "no GPU work was recorded", "--trace=cuda", ALWAYS};
}

static const char *quantity(struct report *r, uint64_t count, const char *what)
{
	struct buf b = {0};
	const char *text;

	units_add_count(&b, (int64_t)count);
	buf_addf(&b, " %s", what);
	text = arena_strdup(&r->arena, b.s);
	buf_free(&b);
	return text;
}

static struct answer yes(const char *why)
{
	return (struct answer){YES, why, NULL, 0};
}

/* The answer to what graphs that were recorded as a whole may be part of. */
static struct answer hidden_in_graphs(enum verdict verdict, const char *why)
{
	return (struct answer){verdict, why, "--cuda-graph-trace=node", ALWAYS};
}

static struct answer ask_gpu_time(struct report *r, const struct capture *c)
{
	double hidden = doctor_percent((double)c->graph_time_ns, (double)c->gpu_time_ns);

	if (c->graph_time_ns > 0)
		return hidden_in_graphs(
			hidden < WELL_COVERED_PCT ? PARTLY : NO,
			arena_printf(&r->arena, "whole graphs hide %.1f%% of it", hidden));
	return yes("all kernels and copies were recorded");
}

static struct answer ask_idle(struct report *r, const struct capture *c)
{
	double joined = doctor_percent((double)c->time_with_call_ns, (double)c->gpu_time_ns);

	if (!c->has_calls)
		return (struct answer){NO, "no CUDA calls were recorded", "--trace=cuda", ALWAYS};
	if (joined >= WELL_COVERED_PCT)
		return yes("GPU work is linked to its launch calls");
	return (struct answer){
		joined < BARELY_COVERED_PCT ? NO : PARTLY,
		arena_printf(&r->arena, "%.1f%% of GPU time has a known launch call", joined),
		"--trace=cuda", ALWAYS};
}

static struct answer ask_code(struct report *r, const struct capture *c)
{
	const bool by_line = c->time_with_line_ns > c->time_in_ranges_ns;
	const int64_t most_ns = by_line ? c->time_with_line_ns : c->time_in_ranges_ns;
	const double covered = doctor_percent((double)most_ns, (double)c->gpu_time_ns);
	const char *why =
		arena_printf(&r->arena,
			     by_line ? "%.1f%% of GPU time has its line: kernels --by line"
				     : "%.1f%% of GPU time is in NVTX ranges",
			     covered);

	if (!c->has_ranges && !by_line)
		return (struct answer){NO, "no NVTX ranges were recorded", "--trace=nvtx",
				       FLAG_PYTORCH};
	if (covered >= WELL_COVERED_PCT)
		return yes(why);
	return (struct answer){covered < BARELY_COVERED_PCT ? NO : PARTLY, why,
			       "--pytorch=autograd-nvtx", FLAG_PYTORCH};
}

static struct answer ask_communication(struct report *r, const struct capture *c)
{
	if (c->graph_time_ns > 0)
		return hidden_in_graphs(PARTLY, "whole graphs may hide some");
	if (!c->communication)
		return yes("no communication kernels ran");
	return yes(quantity(r, c->communication, "communication kernels"));
}

static struct answer ask_copies(struct report *r, const struct capture *c)
{
	if (c->graph_time_ns > 0)
		return hidden_in_graphs(PARTLY, "whole graphs may hide some");
	if (!c->count[TRACE_MEMCPYS])
		return yes("no copies ran");
	if (!c->has_memory_kinds)
		return (struct answer){PARTLY, "memory kinds were not recorded", NULL, 0};
	return yes(quantity(r, c->count[TRACE_MEMCPYS], "copies"));
}

static struct answer ask_memory(struct report *r, const struct capture *c)
{
	(void)r;
	if (c->has_memory_usage)
		return yes("allocations were recorded");
	return (struct answer){NO, "allocations were not recorded", "--cuda-memory-usage=true",
			       FLAG_MEMORY_USAGE};
}

static struct answer ask_host(struct report *r, const struct capture *c)
{
	bool cpu = c->has_cpu_samples || c->has_schedule;

	(void)r;
	if (c->on_windows && cpu)
		return yes("CPU activity was recorded");
	if (c->on_windows)
		return (struct answer){NO, "no CPU activity", "--sample=process-tree", FLAG_CPU};
	if (c->count[TRACE_OSRT] && cpu)
		return yes("OS calls and CPU activity were recorded");
	if (c->count[TRACE_OSRT])
		return (struct answer){PARTLY, "OS calls, but no CPU activity",
				       "--sample=process-tree", FLAG_CPU};
	if (cpu)
		return (struct answer){PARTLY, "CPU activity, but no OS calls", "--trace=osrt",
				       ALWAYS};
	return (struct answer){NO, "neither OS calls nor CPU activity", "--trace=osrt", FLAG_CPU};
}

static struct answer ask_lines(struct report *r, const struct capture *c)
{
	(void)r;
	if (c->in_interpreter && !c->has_python_samples)
		return (struct answer){PARTLY, "the CPU's samples are of Python's interpreter",
				       "--python-sampling=true", FLAG_PYTHON};
	if (c->stacks && !c->python_without_stack)
		return yes("samples of the host have their stacks");
	if (c->without_stack)
		return (struct answer){PARTLY, "samples of the host, without their stacks",
				       "nsys export --include-blobs=true", ALWAYS};
	return (struct answer){NO, "the host was not sampled",
			       "--python-sampling=true or --sample=process-tree",
			       FLAG_CPU | FLAG_PYTHON};
}

static struct answer ask_units(struct report *r, const struct capture *c)
{
	(void)r;
	if (c->has_gpu_metrics)
		return yes("GPU metrics were sampled");
	return (struct answer){NO, "GPU metrics were not sampled", "--gpu-metrics-devices=all",
			       FLAG_GPU_METRICS};
}

static const struct {
	const char *name, *title;
	bool about_work; /* there must be some */
	struct answer (*ask)(struct report *r, const struct capture *c);
} questions[] = {
	{"gpu_time", "where GPU time went", true, ask_gpu_time},
	{"gpu_idle", "why the GPU was idle", true, ask_idle},
	{"code", "which code launched it", true, ask_code},
	{"communication", "communication", true, ask_communication},
	{"copies", "copies", true, ask_copies},
	{"memory_use", "memory use", false, ask_memory},
	{"host_waits", "host waits outside CUDA", false, ask_host},
	{"lines", "which line keeps it waiting", false, ask_lines},
	{"gpu_units", "SM and tensor core use", false, ask_units},
};

/* Adds the questions and returns the flags that would answer the rest of them. */
static unsigned doctor_add_questions(struct report *r, const struct capture *c, bool was_traced)
{
	static const char *const verdicts[] = {[NO] = "no", [PARTLY] = "partly", [YES] = "yes"};
	struct rows *rows = report_new_rows(r, "questions", NULL, columns, ARRAY_LEN(columns));
	unsigned flags = 0;

	rows->table.kind = "question";
	for (size_t i = 0; i < ARRAY_LEN(questions); i++) {
		struct answer a = questions[i].about_work && !c->ops ? nothing_ran(c, was_traced)
								     : questions[i].ask(r, c);

		rows_add(rows, cell_text(questions[i].name));
		rows_add(rows, cell_text(questions[i].title));
		rows_add(rows, cell_text(verdicts[a.verdict]));
		rows_add(rows, cell_text(a.why));
		rows_add(rows, word_or_null(a.fix));
		flags |= a.flags;
	}
	return flags;
}

static const struct {
	enum capture_flag flag;
	const char *text;
} flag_texts[] = {
	{FLAG_MEMORY_USAGE, "--cuda-memory-usage=true"},
	{FLAG_GPU_METRICS, "--gpu-metrics-devices=all"},
	{FLAG_CPU, "--sample=process-tree --cpuctxsw=process-tree"},
	{FLAG_PYTHON, "--python-sampling=true"},
	{FLAG_PYTHON_BACKTRACE, "--python-backtrace=cuda"},
	{FLAG_CUDA_BACKTRACE, "--cudabacktrace=all:0"},
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
		 flags & (FLAG_LIGHT | FLAG_WINDOWS) ? "" : ",osrt");
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

/* The verdict's words, so that both say the same. */
static int find_why(struct report *r, struct trace *t, const struct scope *p,
		    struct no_gpu_reason *ret, bool *ret_traced, struct err *e)
{
	struct no_gpu_facts facts;

	if (no_gpu_facts_read(t, p, &facts, e) < 0)
		return -1;
	*ret = no_gpu_find_reason(r, &facts);
	*ret_traced = facts.traced;
	return 0;
}

static void count_stacks(const struct trace *t, const struct code *code, struct capture *c)
{
	const struct samples *python = &code->python[PAYLOAD_SAMPLE];

	c->stacks = python->count + code->native.count;
	c->without_stack = python->without_stack + code->native.without_stack;
	c->has_python_samples = python->count || python->without_stack;
	c->python_without_stack = python->without_stack && !python->count;
	c->has_python_backtraces = code->python[PAYLOAD_BACKTRACE].count != 0;
	c->has_native_backtraces = code->native_calls.count != 0;
	for (size_t i = 0; code->native.count && i < code->stacks.frame_count; i++)
		c->in_interpreter |= frame_is_interpreter(t, &code->stacks.frames[i]);
}

static int measure(struct trace *t, const struct scope *p, struct capture *ret, struct err *e)
{
	struct code code;
	int result;

	if (code_read(t, &code, e) < 0)
		return -1;
	result = capture_measure(t, p, &code, ret, e);
	if (result == 0)
		count_stacks(t, &code, ret);
	code_free(&code);
	return result;
}

/* What was asked of this capture the next one is not to lose. */
static unsigned recorded_flags(const struct capture *c)
{
	return (c->has_memory_usage ? FLAG_MEMORY_USAGE : 0) |
	       (c->has_gpu_metrics ? FLAG_GPU_METRICS : 0) |
	       (c->has_cpu_samples || c->has_schedule ? FLAG_CPU : 0) |
	       (c->has_python_samples ? FLAG_PYTHON : 0) |
	       (c->has_python_backtraces ? FLAG_PYTHON_BACKTRACE : 0) |
	       (c->has_native_backtraces ? FLAG_CUDA_BACKTRACE : 0) |
	       (c->on_windows ? FLAG_WINDOWS : 0);
}

static void say_command(struct report *r, unsigned flags)
{
	report_note(r, "To answer every question, capture with: %s", doctor_command(r, flags));
	if (flags & (FLAG_PYTHON | FLAG_PYTHON_BACKTRACE))
		report_note(r, "Python's stacks are in exports made with: nsys export --type "
			       "sqlite --include-blobs=true report.nsys-rep (gpuwhy profile does "
			       "both)");
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	const struct doctor_args *a = args;
	const struct scope *p = &a->scope;
	struct no_gpu_reason why;
	struct capture c;
	bool empty, was_traced = false;
	unsigned flags;

	if (measure(t, p, &c, e) < 0)
		return -1;
	/* Where filters have left nothing, nothing is wrong with the capture. */
	empty = !c.ops && !scope_filters(p);
	if (empty && find_why(r, t, p, &why, &was_traced, e) < 0)
		return -1;
	if (window_report(r, self, t, p, NULL, e) < 0)
		return -1;
	warn_filtered_out(r, c.ops, p);
	if (scope_filters(p))
		report_note(r, "These checks always cover the whole capture: memory use, GPU "
			       "metrics, CPU activity, profiler messages, processes sharing a GPU, "
			       "and the export's metadata.");
	flags = doctor_add_questions(r, &c, was_traced) | (empty ? why.flags : 0);
	doctor_add_problems(r, t, &c, empty ? &why : NULL);
	if (flags)
		say_command(r, flags | recorded_flags(&c));
	return 0;
}

static const struct option_group doctor_options = OPTIONS(
	struct doctor_args, OPT_INCLUDE(struct doctor_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct doctor_args, comm, struct comm_args, comm_options));

static const struct topic topics_doctor[] = {
	{.table = "questions",
	 .subject = "flag missing",
	 .words = "doctor missing capture flag flags option options profile again record enable "
		  "answer can able incomplete trustworthy quality",
	 .questions = "what can this capture answer\n"
		      "which flags should I capture with\n"
		      "what is missing in this trace\n"
		      "how should I profile next time\n"
		      "is the capture complete\n"
		      "can I trust this capture\n"
		      "is the capture good enough to explain the host\n"
		      "is this trace sufficient\n",
	 .row = "{title}: {verdict}|, {why}|; capture with {flags}"},
	{.subject = "watt watts power temperature energy",
	 .words = "power watts energy joules temperature hot heat fan draw electricity consumption",
	 .questions = "how many watts does the GPU draw\n"
		      "what is the power consumption\n"
		      "how hot does the GPU get\n"
		      "how much energy did the run take\n",
	 .none = "Nsight Systems records no power, energy or temperature; nvidia-smi and DCGM do"},
	{.subject = "infiniband nic ethernet rdma",
	 .words = "network infiniband nic ethernet rdma adapter adapters link links packets",
	 .questions = "what is the network throughput\n"
		      "how busy is the InfiniBand link\n"
		      "how much traffic goes over the network\n"
		      "bandwidth between the nodes\n",
	 .none = "traffic of network adapters is sampled with nsys profile --nic-metrics=true, and "
		 "gpuwhy does not read it"},
	{.subject = "throttle throttling ecc",
	 .words = "throttle throttled throttling ecc xid errors health",
	 .questions = "did the GPU throttle\n"
		      "were there ECC errors\n"
		      "was the clock throttled by heat\n",
	 .none = "Nsight Systems records neither throttling nor errors of the hardware; nvidia-smi "
		 "and DCGM do"},
	{0},
};

const struct analysis analysis_doctor = {
	.name = "doctor",
	.span = SPAN_ALL,
	.title = "What this capture can answer",
	.summary = "which questions a capture can answer, and how to capture more",
	.example = "gpuwhy doctor trace.sqlite",
	.detail = "Checks for what makes answers wrong or impossible: nothing recorded, lost "
		  "events, CUDA graphs without their kernels, GPU work without its launch call, "
		  "high profiler overhead, inconsistent clocks, old exports. Each problem comes "
		  "with a command line for a better capture.\n\n"
		  "--trim, --device and --pid restrict the checks to GPU work, calls and ranges of "
		  "that window, device (calls and ranges: of threads that launched work on it) or "
		  "process.",
	.options = &doctor_options,
	.run = run,
	.topics = topics_doctor,
};
