/* What is to be said of the run where no cause costs much of it? */
#include "analysis/findings/explain.h"

#include "base/saturate.h"
#include "base/span.h"
#include "text/units.h"
#include "trace/system/labels.h"

#include <stdlib.h>

static const double worth_a_word = 0.05; /* of the window */
static const double mostly_busy = 0.75;	 /* of the window */
static const double dominant = 0.3;	 /* of the kernel time */

int64_t explain_busiest_ns(const struct explain *x)
{
	int64_t most = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		const int64_t ns = device_busy_ns(&x->timeline, &x->timeline.devices[d]);

		most = ns > most ? ns : most;
	}
	return most;
}

bool explain_find_calls(const struct explain *x, struct program_calls *ret)
{
	const struct calls *c = &x->judge.calls;

	*ret = (struct program_calls){SPAN_NONE, ID_NONE, ID_NONE};
	for (size_t i = 0; x->judge.joined && i < c->count; i++) {
		const uint32_t thread = c->origins[calls_origin(c, i)].thread;
		const struct span call = {c->start_ns[i],
					  sat_add(c->start_ns[i], calls_duration(c, i))};

		if (!scope_has_thread(&x->scope, x->trace, thread))
			continue;
		ret->first_thread = call.start_ns < ret->time.start_ns ? thread : ret->first_thread;
		ret->last_thread = call.end_ns > ret->time.end_ns ? thread : ret->last_thread;
		span_widen(&ret->time, call);
	}
	return ret->time.end_ns > ret->time.start_ns;
}

/* A window that goes on after the last GPU work: until the last CUDA call that is the program's. */
static void find_tail(struct explain *x)
{
	struct program_calls calls;
	struct finding *f;
	int64_t until_ns;

	/* What the last step ends with is a part of it. */
	if (x->scope.chosen == SPAN_WARM || x->scope.in_iteration ||
	    x->timeline.last_ns < x->timeline.from_ns ||
	    !is_share(sat_sub(x->timeline.to_ns, x->timeline.last_ns), x->window_ns,
		      worth_a_word) ||
	    !explain_find_calls(x, &calls))
		return;
	until_ns = calls.time.end_ns < x->timeline.to_ns ? calls.time.end_ns : x->timeline.to_ns;
	if (until_ns <= x->timeline.last_ns ||
	    !is_share(until_ns - x->timeline.last_ns, x->window_ns, worth_a_word))
		return;
	f = find_lost(x, "host_stall", until_ns - x->timeline.last_ns,
		      "The host goes on for long after the last GPU work");
	if (!f)
		return;
	f->bound = "Bound by host code after the last GPU work";
	f->how = "from the last GPU work to the end of the last CUDA call";
	find_evidence_over(f, "host code after the last GPU work", UNIT_NS,
			   cell_int(until_ns - x->timeline.last_ns), x->timeline.last_ns, until_ns);
	find_advice(f, "shorten what the host does there (checking, writing results), or let the "
		       "GPU do it");
	f->unless = "only the GPU's part was to be looked at";
}

/* Whether some finding is a verdict, and a warning where that is asked for. */
static bool has_verdict(const struct explain *x, bool warning)
{
	for (size_t i = 0; i < x->found_count; i++) {
		const struct finding *f = &x->found[i];

		if (verdict_word(f->id) && (f->leads || !warning || finding_is_warning(f)))
			return true;
	}
	return false;
}

/* What another finding says already. */
static void drop_finding(struct explain *x, const char *id)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->found_count; i++) {
		if (strcmp(x->found[i].id, id) != 0)
			x->found[kept++] = x->found[i];
	}
	x->found_count = kept;
}

/* Whose kernels the capture hides: other answers mislead then, and that is a warning. */
static void describe_hidden(struct explain *x, struct finding *f)
{
	const struct ops_found longest = find_ops(x, f, TRACE_GRAPHS, NAME_NONE);

	f->severity = SEVERITY_MEDIUM;
	f->owner = OWNER_INFRASTRUCTURE;
	find_time(f, "time in whole graphs", x->graph_ns);
	find_time(f, "time in kernels", x->kernel_ns);
	find_evidence_at(f, "longest graph", longest.longest_ns, longest.longest_at_ns);
	find_advice(f, "capture again with --cuda-graph-trace=node, which records the kernels of "
		       "graphs (adds some overhead per node)");
}

/* Most of the gaps are between launches, which the profiler makes longer: it may be all of them. */
static bool is_slowed(const struct explain *x)
{
	const int64_t idle_ns = sat_sub(x->window_ns, explain_busiest_ns(x));
	int64_t ns = 0;

	for (size_t i = 0; i < x->found_count; i++) {
		if (strcmp(x->found[i].id, "launch_bound") == 0 ||
		    strcmp(x->found[i].id, "tiny_kernels") == 0)
			ns = sat_add(ns, x->found[i].recoverable_ns);
	}
	return is_share(idle_ns, x->window_ns, worth_a_word) && is_share(ns, idle_ns, 0.5);
}

/* Gaps that the screen shows beside "GPU-bound" are to be told of, for nobody to wonder. */
static void tell_gaps(struct explain *x, struct finding *f, const char *by)
{
	const int64_t idle_ns = sat_sub(x->window_ns, explain_busiest_ns(x));
	const double idle_pct = 100 * (double)idle_ns / (double)x->window_ns;

	if (is_slowed(x))
		f->title = f->bound = arena_printf(
			&x->report->arena,
			"GPU-bound%s without the profiler, probably: the gaps (%.0f %%) are mostly "
			"between launches, which profiling slows",
			by, idle_pct);
	else if (is_share(idle_ns, x->window_ns, 2 * worth_a_word))
		f->bound = arena_printf(&x->report->arena,
					"%s; the gaps (%.0f %%) have several small causes",
					f->title, idle_pct);
}

static void find_gpu_bound(struct explain *x, bool hidden)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	const bool by_one = top && !hidden && is_share(top->total_ns, x->kernel_ns, dominant);
	const char *by;
	struct finding *f;

	if (by_one)
		drop_finding(x, "dominant_kernel");
	by = by_one ? arena_printf(&x->report->arena, " by %s", find_kernel_code(x, top->name))
		    : "";
	f = find_fact(x, "gpu_bound", SEVERITY_LOW, "GPU-bound%s%s", by,
		      hidden   ? " inside CUDA graphs, whose kernels this capture hides"
		      : by_one ? ""
			       : ": no kernel stands out");
	if (!hidden)
		tell_gaps(x, f, by);
	f->leads = true;
	f->how = "nothing to recover on the timeline: only faster kernels, or fewer, help";
	find_share(f, x->timeline.count > 1 ? "busiest GPU busy" : "GPU busy",
		   explain_busiest_ns(x), x->window_ns);
	if (hidden)
		describe_hidden(x, f);
	if (top && !hidden) {
		find_kernel(x, f, "largest kernel", top->name);
		find_share(f, "share of kernel time", top->total_ns, x->kernel_ns);
	}
	find_inspect(x, f, by_one ? "it" : "the largest kernels");
	find_advice(f, "or do less: smaller types, a better algorithm, a larger GPU");
	f->unless = "the kernels are at the hardware's limit already";
}

static void find_unexplained(struct explain *x)
{
	struct finding *f = find_fact(x, "idle_unexplained", SEVERITY_LOW,
				      "The GPU is idle for most of the time, for many small "
				      "reasons or none that the trace shows");

	f->leads = true;
	find_share(f, "GPU busy", explain_busiest_ns(x), x->window_ns);
	find_advice(f,
		    x->has_samples
			    ? "the capture has samples of the host: look at them in Nsight "
			      "Systems where the GPU is idle; gpuwhy idle lists its gaps"
			    : arena_printf(&x->report->arena,
					   "capture more: --trace=cuda,nvtx%s %s, then ask again",
					   x->on_windows ? "" : ",osrt", find_to_sample(x)));
	f->unless = "the GPU has nothing to do in that time";
}

/* What leads where no cause costs much; whether it tells of graphs that hide their kernels. */
static bool find_lead(struct explain *x)
{
	const bool hidden = x->graph_ns > x->kernel_ns;

	if (is_share(explain_busiest_ns(x), x->window_ns, mostly_busy)) {
		find_gpu_bound(x, hidden);
		return hidden;
	}
	if (!has_verdict(x, false))
		find_unexplained(x);
	return false;
}

/* Nobody waits for the GPU while it waits for input: where much of the rest is lost, that leads. */
static void lead_past_input(struct explain *x)
{
	struct finding *input = NULL;
	bool much = false;

	for (size_t i = 0; i < x->found_count; i++) {
		struct finding *f = &x->found[i];

		if (strcmp(f->id, "waiting_for_input") == 0)
			input = f;
		else
			much |= f->severity == SEVERITY_HIGH && verdict_word(f->id);
	}
	if (input && much)
		input->leads = false;
	else
		x->input_ns = 0;
}

/* A run that waits for a time or for input does not get shorter. */
static void lower_waiting(struct explain *x)
{
	bool waits = false;

	for (size_t i = 0; i < x->found_count; i++)
		waits = waits || x->found[i].leads;
	for (size_t i = 0; waits && i < x->found_count; i++) {
		if (x->found[i].recoverable_ns > 0)
			x->found[i].severity = SEVERITY_LOW;
	}
}

int explain_run(struct explain *x, struct err *e)
{
	bool one_shot = false, told = false;

	if (x->input_ns)
		lead_past_input(x);
	lower_waiting(x);
	explain_cold(x);
	find_tail(x);
	explain_start(x);
	if (x->window_ns > 0 && explain_one_shot(x, &one_shot, e) < 0)
		return -1;
	if (x->window_ns > 0 && !one_shot && !has_verdict(x, true))
		told = find_lead(x);
	if (!told)
		explain_graphs(x);
	return 0;
}
