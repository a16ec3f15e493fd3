/* What is to be said of the run where no cause costs much of it? */
#include "analysis/findings/explain.h"

#include "base/saturate.h"
#include "base/span.h"
#include "text/units.h"
#include "trace/system/labels.h"

#include <stdlib.h>

/* One-shot: so much longer is the host's part before and after the GPU's than the GPU's. */
enum { TIMES_LONGER = 3, FAR_LONGER = 8, HOST_MIN_NS = 50000000 };

static const double worth_a_word = 0.05; /* of the window */
static const double few_percent = 0.05;	 /* of such a run, in which the GPU is busy */
static const double mostly_busy = 0.75;	 /* of the window */
static const double dominant = 0.3;	 /* of the kernel time */

static int64_t busiest_ns(const struct explain *x)
{
	int64_t most = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		const int64_t ns = device_busy_ns(&x->timeline, &x->timeline.devices[d]);

		most = ns > most ? ns : most;
	}
	return most;
}

/* From the first CUDA call that was asked about to the end of the last. */
static bool find_calls(const struct explain *x, struct span *ret)
{
	const struct calls *c = &x->judge.calls;

	*ret = SPAN_NONE;
	for (size_t i = 0; x->judge.joined && i < c->count; i++) {
		const uint32_t thread = c->origins[calls_origin(c, i)].thread;

		if (scope_has_thread(&x->scope, x->trace, thread))
			span_widen(ret,
				   (struct span){c->start_ns[i],
						 sat_add(c->start_ns[i], calls_duration(c, i))});
	}
	return ret->end_ns > ret->start_ns;
}

/* Costs are a share of the run: what takes all of a window that is nothing is nothing. */
static void lower_severity(struct explain *x, int64_t run_ns)
{
	for (size_t i = 0; i < x->found_count; i++) {
		struct finding *f = &x->found[i];
		const enum severity s =
			find_severity(100.0 * (double)f->recoverable_ns / (double)run_ns);

		if (f->recoverable_ns > 0 && s < f->severity)
			f->severity = s;
	}
}

/* A run with a moment of GPU work. */
struct short_work {
	struct span calls;	     /* the program's */
	int64_t before_ns, after_ns; /* what of them is before and after the GPU's work */
	int64_t window_ns, run_ns;   /* first to last GPU work; all of the run */
	bool by_capture;	     /* the run is as long as the capture */
};

/*
 * What the capture has beside all calls is part of the run, too, where they alone are no more, or
 * next to nothing of it: a profiler's own start is no more than a second.
 */
static bool find_short_work(const struct explain *x, struct short_work *ret)
{
	const struct trace_meta *meta = &x->trace->meta;
	struct short_work w = {.by_capture = false};
	int64_t host_ns;

	if (x->scope.chosen != SPAN_GPU || !find_calls(x, &w.calls))
		return false;
	w.window_ns = sat_sub(x->timeline.last_ns, x->timeline.first_ns);
	w.before_ns = sat_sub(x->timeline.first_ns, w.calls.start_ns);
	w.after_ns = w.calls.end_ns > x->timeline.last_ns
			     ? sat_sub(w.calls.end_ns, x->timeline.last_ns)
			     : 0;
	host_ns = sat_add(w.before_ns > 0 ? w.before_ns : 0, w.after_ns);
	w.run_ns = sat_add(host_ns, w.window_ns);
	if (meta->has_span && meta->span_ns > w.run_ns &&
	    (is_share(busiest_ns(x), w.run_ns, few_percent) ||
	     meta->span_ns / FAR_LONGER > w.run_ns)) {
		w.run_ns = meta->span_ns;
		w.by_capture = true;
	}
	*ret = w;
	return host_ns >= HOST_MIN_NS && host_ns / TIMES_LONGER >= w.window_ns &&
	       !is_share(busiest_ns(x), w.run_ns, few_percent);
}

static bool launches_nothing(const struct explain *x)
{
	return !x->kernel_count && !x->graph_ns;
}

static int64_t before_work_ns(const struct explain *x, size_t call)
{
	const struct calls *c = &x->judge.calls;
	const int64_t end_ns = sat_add(c->start_ns[call], calls_duration(c, call));

	return sat_sub(end_ns < x->timeline.first_ns ? end_ns : x->timeline.first_ns,
		       c->start_ns[call]);
}

/* The call that takes most of so much time before the first work; NULL: none does. */
static const char *longest_before(struct explain *x, int64_t of_ns)
{
	const struct calls *c = &x->judge.calls;
	size_t longest = c->count;
	struct buf b = {0};

	for (size_t i = 0; i < c->count; i++) {
		if (scope_has_thread(&x->scope, x->trace, c->origins[calls_origin(c, i)].thread) &&
		    (longest == c->count || before_work_ns(x, i) > before_work_ns(x, longest)))
			longest = i;
	}
	if (longest == c->count || !is_share(before_work_ns(x, longest), of_ns, 0.5))
		return NULL;
	buf_addf(&b, "%s (",
		 find_code(x, label_api(trace_name(x->trace,
						   c->origins[calls_origin(c, longest)].name))));
	units_add_ns(&b, (double)before_work_ns(x, longest));
	buf_addc(&b, ')');
	return report_take_text(x->report, &b);
}

static const char *what_comes_before(struct explain *x, const struct short_work *w, bool context)
{
	const char *call = context ? NULL : longest_before(x, w->before_ns);

	return context ? "context creation" : call ? call : "host code";
}

/* "; 136 ms are before its first work, mostly `cuMemAllocAsync` (119 ms), 173 ms after its last" */
static void add_around(struct explain *x, const struct short_work *w, struct buf *b)
{
	const char *call = longest_before(x, x->timeline.first_ns);

	buf_adds(b, "; ");
	units_add_ns(b, (double)x->timeline.first_ns);
	buf_addf(b, " are before its first work%s%s, ", call ? ", mostly " : "", call ? call : "");
	units_add_ns(b, (double)sat_sub(w->run_ns, x->timeline.last_ns));
	buf_adds(b, " after its last");
}

/* "One-shot program: the GPU works 46.3 µs of 221 ms, most of the time is context creation …" */
static const char *describe_short(struct explain *x, const struct short_work *w, bool context)
{
	struct buf b = {0};

	buf_addf(&b, "One-shot program%s: the GPU works ",
		 launches_nothing(x) ? " without a kernel" : "");
	units_add_ns(&b, (double)busiest_ns(x));
	buf_adds(&b, " of ");
	units_add_ns(&b, (double)w->run_ns);
	buf_adds(&b, w->by_capture ? " of the capture" : " from its first CUDA call to its last");
	if (w->by_capture)
		add_around(x, w, &b);
	else if (w->after_ns > w->before_ns)
		buf_adds(&b, "; most of that is host code after its last work");
	else
		buf_addf(&b, "; most of that is %s before its first work",
			 what_comes_before(x, w, context));
	return report_take_text(x->report, &b);
}

static void advise_short(struct explain *x, struct finding *f, const struct short_work *w,
			 bool context)
{
	const int64_t before_ns = w->by_capture ? x->timeline.first_ns : w->before_ns;
	const int64_t after_ns =
		w->by_capture ? sat_sub(w->run_ns, x->timeline.last_ns) : w->after_ns;

	if (launches_nothing(x))
		find_advice(f, "nothing was computed on the GPU: see what the program itself says, "
			       "and whether it ended early");
	if (after_ns > before_ns)
		find_advice(f, "shorten what the host does after the GPU's last work (checking, "
			       "writing results), or let the GPU do it");
	else if (!context)
		find_advice(f, "shorten what the host does before the first GPU work (reading, "
			       "parsing, initialising), or let one process do several jobs");
	else
		find_advice(f, "let one process do several jobs: the driver starts once in each");
	find_advice(f, arena_printf(&x->report->arena, "gpuwhy %s explains the whole capture",
				    verdict_advised(x, "overview", SPAN_ALL)));
}

/* Prepares for long or goes on for long, and works for a moment on the GPU. */
static bool find_one_shot(struct explain *x, int64_t context_ns)
{
	const struct trace_meta *meta = &x->trace->meta;
	struct short_work w;
	struct finding *f;
	int64_t end_ns;
	bool context;

	if (!find_short_work(x, &w))
		return false;
	end_ns = w.calls.end_ns > x->timeline.last_ns ? w.calls.end_ns : x->timeline.last_ns;
	context = is_share(context_ns, w.before_ns, 0.5);
	x->run_ns = w.run_ns;
	lower_severity(x, w.run_ns);
	f = find_fact(x, "one_shot", SEVERITY_LOW, "%s", describe_short(x, &w, context));
	f->leads = true;
	f->how = "not estimated: what the host does before and after is not in the window";
	if (w.before_ns > 0)
		find_evidence_over(f, "from the first CUDA call to the first GPU work", UNIT_NS,
				   cell_int(w.before_ns), w.calls.start_ns, x->timeline.first_ns);
	if (context_ns)
		find_time(f, "of which context creation", context_ns);
	find_time(f, "first to last GPU work", w.window_ns);
	find_time(f, "GPU busy", busiest_ns(x));
	if (w.after_ns)
		find_evidence_over(f, "from the last GPU work to the last CUDA call's end", UNIT_NS,
				   cell_int(w.after_ns), x->timeline.last_ns, w.calls.end_ns);
	if (meta->has_span && meta->span_ns > end_ns)
		find_time(f, "from the end of both to the end of the capture",
			  sat_sub(meta->span_ns, end_ns));
	advise_short(x, f, &w, context);
	f->unless = "only the GPU's part was to be looked at";
	return true;
}

/* A window that goes on after the last GPU work: until the last CUDA call that is the program's. */
static void find_tail(struct explain *x)
{
	struct span calls;
	struct finding *f;
	int64_t until_ns;

	/* What the last step ends with is a part of it. */
	if (x->scope.chosen == SPAN_WARM || x->scope.in_iteration || !find_calls(x, &calls))
		return;
	until_ns = calls.end_ns < x->timeline.to_ns ? calls.end_ns : x->timeline.to_ns;
	if (x->timeline.last_ns < x->timeline.from_ns || until_ns <= x->timeline.last_ns ||
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
	const struct ops_found longest = explain_find_ops(x, TRACE_GRAPHS, NAME_NONE);

	f->severity = SEVERITY_MEDIUM;
	f->owner = OWNER_INFRASTRUCTURE;
	find_time(f, "time in whole graphs", x->graph_ns);
	find_time(f, "time in kernels", x->kernel_ns);
	find_evidence_at(f, "longest graph", longest.longest_ns, longest.longest_at_ns);
	find_advice(f, "capture again with --cuda-graph-trace=node, which records the kernels of "
		       "graphs (adds some overhead per node)");
}

static void find_gpu_bound(struct explain *x, bool hidden)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	const bool by_one = top && !hidden && is_share(top->total_ns, x->kernel_ns, dominant);
	struct finding *f;

	if (by_one)
		drop_finding(x, "dominant_kernel");
	f = find_fact(x, "gpu_bound", SEVERITY_LOW, "GPU-bound%s%s", by_one ? " by " : "",
		      hidden   ? " inside CUDA graphs, whose kernels this capture hides"
		      : by_one ? find_kernel_code(x, top->name)
			       : ": no kernel stands out");
	f->leads = true;
	f->how = "nothing to recover on the timeline: only faster kernels, or fewer, help";
	find_share(f, "GPU busy", busiest_ns(x), x->window_ns);
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
	find_share(f, "GPU busy", busiest_ns(x), x->window_ns);
	find_advice(f, x->has_samples
			       ? "the capture has samples of the host: look at them in Nsight "
				 "Systems where the GPU is idle; gpuwhy idle lists its gaps"
		       : x->on_windows
			       ? "capture more: --trace=cuda,nvtx --sample=process-tree, then ask "
				 "again"
			       : "capture more: --trace=cuda,nvtx,osrt --sample=process-tree, then "
				 "ask again");
	f->unless = "the GPU has nothing to do in that time";
}

/* What leads where no cause costs much; whether it tells of graphs that hide their kernels. */
static bool find_lead(struct explain *x)
{
	const bool hidden = x->graph_ns > x->kernel_ns;

	if (is_share(busiest_ns(x), x->window_ns, mostly_busy)) {
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

void explain_run(struct explain *x)
{
	int64_t context_ns;
	bool told = false;

	if (x->input_ns)
		lead_past_input(x);
	lower_waiting(x);
	explain_cold(x);
	find_tail(x);
	context_ns = explain_start(x);
	if (x->window_ns > 0 && !find_one_shot(x, context_ns) && !has_verdict(x, true))
		told = find_lead(x);
	if (!told)
		explain_graphs(x);
}
