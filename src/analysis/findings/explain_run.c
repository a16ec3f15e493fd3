/* What is to be said of the run where no cause costs much of it? */
#include "analysis/findings/explain.h"

#include "base/saturate.h"
#include "text/units.h"
#include "trace/calls/call_class.h"

#include <stdlib.h>

/* One-shot: so much longer is the host's part before the GPU's than the GPU's. */
enum { TIMES_LONGER = 3, BEFORE_MIN_NS = 50000000 };

static const double few_percent = 0.05;	  /* of such a run, in which the GPU is busy */
static const double mostly_busy = 0.75;	  /* of the window */
static const double chief_cause = 0.3;	  /* of what cold steps take more */
static const double dominant = 0.3;	  /* of the kernel time */
static const double worth_telling = 0.01; /* of the window, that a warm-up costs */

static int64_t busiest_ns(const struct explain *x)
{
	int64_t most = 0;

	for (size_t d = 0; d < x->timeline.count; d++) {
		const int64_t ns = device_busy_ns(&x->timeline, &x->timeline.devices[d]);

		most = ns > most ? ns : most;
	}
	return most;
}

/* When the first CUDA call returned: until then the driver starts, which is nobody's work. */
static bool find_start(const struct explain *x, int64_t *ret_ns)
{
	const struct calls *c = &x->judge.calls;
	size_t first = 0;

	if (!x->judge.joined || !c->count)
		return false;
	for (size_t i = 1; i < c->count; i++)
		first = c->start_ns[i] < c->start_ns[first] ? i : first;
	*ret_ns = sat_add(c->start_ns[first], calls_duration(c, first));
	return true;
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

/* Prepares for long, works for a moment on the GPU, and ends. */
static bool find_one_shot(struct explain *x, int64_t context_ns)
{
	const int64_t window_ns = sat_sub(x->timeline.last_ns, x->timeline.first_ns);
	int64_t start_ns, before_ns, run_ns;
	struct buf busy = {0}, run = {0};
	struct finding *f;

	if (x->scope.chosen != SPAN_GPU || !find_start(x, &start_ns))
		return false;
	before_ns = sat_sub(x->timeline.first_ns, start_ns);
	run_ns = sat_add(before_ns, window_ns);
	if (before_ns < BEFORE_MIN_NS || before_ns / TIMES_LONGER < window_ns ||
	    is_share(busiest_ns(x), run_ns, few_percent))
		return false;
	lower_severity(x, run_ns);
	units_add_ns(&busy, (double)busiest_ns(x));
	units_add_ns(&run, (double)run_ns);
	f = find_fact(x, "one_shot", SEVERITY_LOW,
		      "One-shot program: the GPU works %s of %s, most of the time is %s before its "
		      "first work",
		      busy.s, run.s,
		      is_share(context_ns, before_ns, 0.5) ? "context creation" : "host code");
	f->leads = true;
	f->how = "not estimated: what the host does before is not in the window";
	find_evidence_over(f, "host code from the first CUDA call to the first GPU work", UNIT_NS,
			   cell_int(before_ns), start_ns, x->timeline.first_ns);
	find_time(f, "first to last GPU work", window_ns);
	find_time(f, "GPU busy", busiest_ns(x));
	find_advice(f, "shorten what the host does before the first GPU work (reading, parsing, "
		       "initialising), or let one process do several jobs");
	find_advice(f, "gpuwhy TRACE --span all explains the whole capture");
	f->unless = "only the GPU's part was to be looked at";
	buf_free(&busy);
	buf_free(&run);
	return true;
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

static void find_gpu_bound(struct explain *x)
{
	const struct kernel_time *top = x->kernel_count ? &x->kernels[0] : NULL;
	const bool hidden = x->graph_ns > x->kernel_ns;
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
	if (hidden) {
		find_time(f, "time in whole graphs", x->graph_ns);
		find_advice(f, "capture again with --cuda-graph-trace=node, which records the "
			       "kernels of graphs");
	}
	if (top && !hidden) {
		find_kernel(x, f, "largest kernel", top->name);
		find_share(f, "share of kernel time", top->total_ns, x->kernel_ns);
	}
	find_advice(f, "profile the largest kernels: gpuwhy inspect TRACE -- COMMAND tells what "
		       "limits each");
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
			       : "capture more: --trace=cuda,nvtx,osrt --sample=process-tree, then "
				 "ask again");
	f->unless = "the GPU has nothing to do in that time";
}

/* What the host did in the cold steps, as far as calls tell. */
struct cold_calls {
	int64_t loading_ns, allocating_ns, graphs_ns;
	uint64_t loads, warm_loads; /* modules that are loaded in them, and in the window */
};

static bool makes_graphs(struct str function)
{
	return str_starts(function, "cudaGraphInstantiate") ||
	       str_starts(function, "cuGraphInstantiate") ||
	       str_starts(function, "cudaStreamEndCapture") ||
	       str_starts(function, "cuStreamEndCapture");
}

static bool loads_module(struct str function)
{
	return str_starts(function, "cuLibraryLoad") || str_starts(function, "cuModuleLoad") ||
	       str_starts(function, "cudaLibraryLoad");
}

static void add_cold_call(struct cold_calls *c, struct str name, int64_t ns)
{
	bool blocks;

	if (makes_graphs(name))
		c->graphs_ns = sat_add(c->graphs_ns, ns);
	else if (call_class(name, &blocks) == CALL_MODULE)
		c->loading_ns = sat_add(c->loading_ns, ns);
	else if (call_class(name, &blocks) == CALL_ALLOC)
		c->allocating_ns = sat_add(c->allocating_ns, ns);
	c->loads += loads_module(name);
}

static struct cold_calls sum_cold_calls(const struct explain *x)
{
	const struct calls *c = &x->judge.calls;
	const struct cold_steps *cold = &x->scope.cold;
	struct cold_calls ret = {0};

	for (size_t i = 0; x->judge.joined && i < c->count; i++) {
		const struct str name = trace_name(x->trace, c->origins[calls_origin(c, i)].name);

		if (c->start_ns[i] >= cold->from_ns && c->start_ns[i] < cold->to_ns)
			add_cold_call(&ret, name, calls_duration(c, i));
		else if (c->start_ns[i] >= x->timeline.from_ns &&
			 c->start_ns[i] < x->timeline.to_ns)
			ret.warm_loads += loads_module(name);
	}
	return ret;
}

/* What the cold steps do that warm ones do not; NULL: the calls do not tell. */
static const char *cold_cause(const struct cold_steps *cold, const struct cold_calls *c)
{
	if (is_share(c->loading_ns, cold->more_ns, chief_cause) ||
	    (c->loads >= cold->count && c->warm_loads * 10 < c->loads))
		return " (module loading)";
	if (is_share(c->graphs_ns, cold->more_ns, chief_cause))
		return " (making CUDA graphs)";
	if (is_share(c->allocating_ns, cold->more_ns, chief_cause))
		return " (memory allocation)";
	return NULL;
}

/* What they take is taken once: it is no cost of a step, and told apart. */
static void find_cold(struct explain *x)
{
	const struct cold_steps *cold = &x->scope.cold;
	struct cold_calls calls;
	struct buf more = {0};
	const char *cause;
	struct finding *f;

	if (!cold->count || !is_share(cold->more_ns, x->window_ns, worth_telling))
		return;
	calls = sum_cold_calls(x);
	cause = cold_cause(cold, &calls);
	units_add_ns(&more, (double)cold->more_ns);
	f = find_fact(x, "cold_steps", SEVERITY_INFO, "Warm-up%s costs %s in the first %s",
		      cause ? cause : "", more.s,
		      cold->count == 1 ? "step"
				       : arena_printf(&x->report->arena, "%zu steps", cold->count));
	f->how = "a cost of starting, not of a step: it is outside the window";
	find_evidence_over(f, "cold steps", UNIT_COUNT, cell_int((int64_t)cold->count),
			   cold->from_ns, cold->to_ns);
	find_time(f, "longer than as many warm ones", cold->more_ns);
	find_count(f, "modules loaded in them", calls.loads);
	find_count(f, "modules loaded in the warm ones", calls.warm_loads);
	find_time(f, "time in such calls", calls.loading_ns);
	if (calls.allocating_ns)
		find_time(f, "allocating in them", calls.allocating_ns);
	if (calls.graphs_ns)
		find_time(f, "making CUDA graphs in them", calls.graphs_ns);
	find_advice(f, "where the first request counts, run a step of each shape at start; "
		       "CUDA_MODULE_LOADING=EAGER loads all code before");
	f->unless = "the process runs for long, and its start does not matter";
	buf_free(&more);
}

void explain_run(struct explain *x)
{
	int64_t context_ns;

	find_cold(x);
	context_ns = explain_start(x);
	if (x->window_ns <= 0 || find_one_shot(x, context_ns) || has_verdict(x, true))
		return;
	if (is_share(busiest_ns(x), x->window_ns, mostly_busy))
		find_gpu_bound(x);
	else if (!has_verdict(x, false))
		find_unexplained(x);
}
