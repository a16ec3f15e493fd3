/* Rules about the capture, and about devices beside each other. */
#include "analysis/findings/explain.h"
#include "trace/system/overhead.h"

void explain_devices(struct explain *x)
{
	const struct timeline *l = &x->timeline;
	size_t least = 0, most = 0;
	double least_pct, most_pct;
	struct finding *f;

	if (l->count < 2 || x->window_ns <= 0)
		return;
	for (size_t d = 1; d < l->count; d++) {
		if (l->devices[d].ns[SLICE_IDLE] > l->devices[most].ns[SLICE_IDLE])
			most = d;
		if (l->devices[d].ns[SLICE_IDLE] < l->devices[least].ns[SLICE_IDLE])
			least = d;
	}
	most_pct = 100.0 * (double)l->devices[most].ns[SLICE_IDLE] / (double)x->window_ns;
	least_pct = 100.0 * (double)l->devices[least].ns[SLICE_IDLE] / (double)x->window_ns;
	if (most_pct < 50 || least_pct > most_pct / 2 || l->devices[most].device == ID_NONE ||
	    l->devices[least].device == ID_NONE)
		return;
	f = find_fact(x, "starving_device", SEVERITY_MEDIUM,
		      "Device %u is idle most of the time while device %u is busy",
		      l->devices[most].device, l->devices[least].device);
	find_evidence(f, "idle time of the idle device", UNIT_PERCENT, cell_real(most_pct));
	find_evidence(f, "idle time of the busiest device", UNIT_PERCENT, cell_real(least_pct));
	find_advice(f, "balance the work, or find out what the idle device waits for: gpuwhy idle "
		       "--device N");
	f->unless = "the device has a different role, as in a pipeline with few micro-batches";
}

void explain_graphs(struct explain *x)
{
	int64_t busy_ns = sat_add(x->graph_ns, x->kernel_ns);
	struct ops_found longest;
	struct finding *f;

	if (!x->graph_ns || !is_share(x->graph_ns, busy_ns, 0.2))
		return;
	f = find_fact(x, "graph_opaque", SEVERITY_MEDIUM,
		      "CUDA graphs hide their kernels in this capture");
	longest = find_ops(x, f, TRACE_GRAPHS, NAME_NONE);
	find_time(f, "time in whole graphs", x->graph_ns);
	find_time(f, "time in kernels", x->kernel_ns);
	find_evidence_at(f, "longest graph", longest.longest_ns, longest.longest_at_ns);
	find_advice(f, "capture again with --cuda-graph-trace=node (adds some overhead per node)");
	f->unless = "you already know what runs inside the graphs, and only the time around them "
		    "matters";
}

static void find_coverage(struct explain *x)
{
	double share =
		x->covered.all_ns ? (double)x->covered.in_ranges_ns / (double)x->covered.all_ns : 1;
	struct finding *f;

	if (x->scope.host_only || !x->judge.joined || !x->judge.attribution.forest.count ||
	    share >= x->args->coverage.warn)
		return;
	f = find_fact(x, "low_nvtx_coverage", SEVERITY_LOW,
		      "Much of the kernel time is outside any NVTX range");
	find_evidence(f, "kernel time in ranges", UNIT_PERCENT, cell_real(100.0 * share));
	find_advice_for(x, f,
			"put ranges around the whole step, on the launching thread: backward "
			"passes run on a separate thread",
			"put ranges around all that launches work, on the thread that launches it");
	f->unless = "the work outside ranges is set-up or belongs to a library, and needs no name";
}

/* Time of the profiler itself is in the capture, not in the run. */
static int find_overhead(struct explain *x, struct err *e)
{
	struct finding *f;
	int64_t ns, idle_ns = time_sums_group(&x->sums[SUM_CAUSES], CAUSE_OVERHEAD, NULL);

	if (overhead_measure(x->trace, x->timeline.from_ns, x->timeline.to_ns, &ns, e) < 0)
		return -1;
	if (!is_share(ns, x->window_ns, 0.05) || ns <= 0)
		return 0;
	f = find_fact(x, "profiler_overhead", SEVERITY_LOW,
		      "Profiler overhead takes a significant part of the time");
	find_time(f, "profiler overhead", ns);
	find_share(f, "of the window", ns, x->window_ns);
	if (idle_ns)
		find_time(f, "of which the GPU was idle", idle_ns);
	find_places_of_group(f, &x->sums[SUM_CAUSES], CAUSE_OVERHEAD);
	find_advice(f, "capture less: a shorter window, no --cuda-memory-usage, no backtraces, no "
		       "sampling");
	f->unless = "the overhead is on threads that nothing waits for";
	return 0;
}

int explain_phases(struct explain *x, struct err *e)
{
	phases_free(&x->phases);
	/* One screen has no room for it, and needs no second look at the ranges. */
	if (x->report->brief || !x->trace->events[TRACE_NVTX].table)
		return 0;
	if (phases_read(x->trace, &x->scope, &x->phases, e) == 0)
		return 0;
	x->phases = (struct phases){0};
	return e->absent ? 0 : -1;
}

/* Which phase a run spends its GPU time in is no fault, but it is where work pays. */
static void find_phase(struct explain *x)
{
	const struct phases *phases = &x->phases;
	const struct phase *top = NULL;
	struct finding *f;

	for (size_t i = 0; i + 1 < phases->count; i++) {
		if (!top || phases->items[i].gpu_ns > top->gpu_ns)
			top = &phases->items[i];
	}
	if (phases->found && phases->has_gpu && top && phases->gpu_ns > 0 &&
	    is_share(top->gpu_ns, phases->gpu_ns, 0.7)) {
		f = find_fact(x, "phase_dominance", SEVERITY_INFO,
			      "Most GPU time is in one phase: %.*s", (int)top->name.len,
			      top->name.s);
		find_share(f, "of all GPU time", top->gpu_ns, phases->gpu_ns);
		find_time(f, "GPU time", top->gpu_ns);
		find_advice(f,
			    "start with its kernels and gaps: gpuwhy phases, gpuwhy nvtx --tree");
		f->unless =
			phases->guessed
				? "the phase is guessed from range names and the guess is wrong: "
				  "set it with --phase-map FILE"
				: "the patterns in the phase map also match ranges of other phases";
	}
}

int explain_capture(struct explain *x, struct err *e)
{
	find_coverage(x);
	if (find_overhead(x, e) < 0)
		return -1;
	find_phase(x);
	return 0;
}
