/* Does the program train a model or serve one, with which framework, and how fast? */
#include "analysis/findings/explain.h"
#include "base/mem.h"

static const struct column evidence_columns[] = {
	{"shows", "Shows", UNIT_NAME, 0, "", SHOW},
	{"place", "Found in", UNIT_NAME, 0, NULL, SHOW},
	{"count", "Count", UNIT_COUNT, 0, NULL, SHOW},
	{"name", "Name", UNIT_KERNEL, 0, NULL, SHOW},
};

static void add_figures(struct report *r, const struct report_workload *w)
{
	struct rows *rows = report_new_rows(r, w->kind, "Figures", w->columns, w->figure_count);

	rows->table.facts = true;
	rows_add_cells(rows, w->figures, w->figure_count);
}

static void add_evidence(const struct explain *x)
{
	struct rows *rows = NULL;

	for (int s = 0; s < SIGNS; s++) {
		const struct sign_found *f = &x->signs[s];

		if (f->count && !rows)
			rows = REPORT_ROWS(x->report, "evidence", "What names show",
					   evidence_columns);
		if (f->count)
			ROWS_ADD(rows, cell_text(sign_title((enum sign)s)),
				 cell_text(sign_place_title(f->place)), cell_int((int64_t)f->count),
				 f->place == PLACE_KERNEL ? cell_str(f->name)
							  : cell_literal(f->name));
	}
}

static int run(const struct analysis *self, struct trace *t, const void *args, struct report *r,
	       struct err *e)
{
	struct explain x;

	if (explain_make(&x, t, args, r, e) < 0)
		return -1;
	time_window_report(r, self, &x.timeline, &x.scope);
	if (r->workload) {
		report_note(r, "%s", r->workload->text);
		add_figures(r, r->workload);
	} else {
		report_note(r, "Neither training nor LLM serving is recognised by names. NVTX "
			       "ranges called forward, backward and optimizer, or prefill and "
			       "decode, make it so; --phase-map FILE maps others.");
	}
	add_evidence(&x);
	explain_free(&x);
	return 0;
}

static const struct option_group workload_options = OPTIONS(
	struct explain_args, OPT_INCLUDE(struct explain_args, scope, struct scope, scope_options),
	OPT_INCLUDE(struct explain_args, scope, struct scope, phase_options),
	OPT_INCLUDE(struct explain_args, comm, struct comm_args, comm_options));

static const struct topic topics_workload[] = {
	{.table = "serving",
	 .subject = "token request",
	 .words = "token tokens request requests serve served serving first latency decode rate "
		  "throughput ttft tpot prefill batch",
	 .questions = "what is the time to first token\n"
		      "how long until the first token\n"
		      "what is the time per token\n"
		      "how many tokens per second\n"
		      "how many requests were served\n"
		      "what is the decode rate\n"
		      "how many decode steps are there\n"
		      "how many prefills are there\n",
	 .row = "{requests} requests|, {prefills} prefills|, {first_token_p50_ns} to the first "
		"token "
		"at the median|, {decode_steps} decode steps|, {token_p50_ns} per token at the "
		"median|, {token_p99_ns} at the 99th percentile|, {sequence_tokens_per_s} tokens a "
		"second and sequence|, {tokens_per_s} tokens a second",
	 .none = "this is no serving of an LLM that is recognised"},
	{.table = "training",
	 .words = "training steps per second rate throughput share data communication host",
	 .questions = "how many training steps per second\n"
		      "what does training lose to data loading\n"
		      "how much of a training step is communication\n",
	 .row = "{steps} steps|, {step_p50_ns} at the median|, {steps_per_s} a second|; "
		"communication {communication_pct}|, data {data_pct}|, copies {copies_pct}|, host "
		"{host_pct}",
	 .none = "this is no training that is recognised"},
	{.table = "evidence",
	 .subject = "workload framework",
	 .words = "workload framework library pytorch torch jax vllm sglang megatron deepspeed "
		  "training inference serving llm model kind type program application",
	 .questions = "what kind of workload is this\n"
		      "is this training or inference\n"
		      "which framework was used\n"
		      "what program was profiled\n"
		      "is it PyTorch or JAX\n"
		      "what does this program do\n",
	 .row = "{name} shows {shows}|, {count} times"},
	{0},
};

const struct analysis analysis_workload = {
	.name = "workload",
	.title = "Training or serving",
	.summary = "training or LLM serving: framework, time per step or token, losses",
	.example = "gpuwhy workload trace.sqlite",
	.detail = "What sort of program it is, by the names of its kernels, NVTX ranges, "
		  "processes and Python modules; the names that show it are listed. Training: time "
		  "per step, and what share of it is lost to exposed communication, stragglers, "
		  "data loading, other copies and other host code, on the GPU that loses most, as "
		  "`findings` "
		  "counts it. Serving: time to first token is that of a prefill; time per token is "
		  "from one decode step's start to the next one's; tokens per second of all "
		  "sequences where a range's name or payload has the batch size.",
	.needs_any = NEEDS_GPU_WORK,
	.joins = true,
	.prepare = explain_prepare,
	.options = &workload_options,
	.run = run,
	.topics = topics_workload,
};
