/* Rules about calls that keep the host from launching: what do they do? */
#include "analysis/findings/explain.h"
#include "trace/system/labels.h"

static void find_alloc(struct explain *x, const struct tally_sum *s)
{
	int64_t ns = tally_sum_worst(s), most_ns = sat_add(x->alloc_ns, x->beside_ns);
	struct finding *f;
	bool only_loads;

	if (!s->rows)
		return;
	ns = ns < most_ns ? ns : most_ns;
	only_loads = x->loading_ns >= s->total_ns;
	f = find_lost(x, "alloc_in_steady", ns, "GPU idle during %s, %s",
		      only_loads ? "module loading" : "cudaMalloc/cudaFree or module loading",
		      find_place(x, s));
	if (!f)
		return;
	f->how = "idle time in gaps that spend a quarter or more in these calls; at most the "
		 "duration of the calls and of the launches next to them";
	f->confidence = only_loads ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	find_gaps(f, s);
	find_evidence(f, "time in these calls", UNIT_NS, cell_int(x->alloc_ns));
	if (x->loading_ns)
		find_evidence(f, "of which first launches of a kernel, slow only once", UNIT_NS,
			      cell_int(x->loading_ns));
	if (!only_loads)
		find_advice(f, "reuse memory: use a caching allocator (PyTorch's is on unless "
			       "PYTORCH_NO_CUDA_MEMORY_CACHING is set), and allocate buffers once");
	find_advice(f, "run a warm-up step first, so that modules are loaded and kernels selected "
		       "before the work begins");
	f->unless = "the capture is short and this is still warm-up";
}

/* A launch takes microseconds. What else it does there the trace does not tell. */
static void find_slow_launches(struct explain *x, const struct tally_sum *s)
{
	struct finding *f;

	if (!s->rows)
		return;
	f = find_lost(x, "slow_launches", tally_sum_worst(s),
		      "GPU idle during slow launch calls, %s", find_place(x, s));
	if (!f)
		return;
	f->how = "time in launch calls of 100 µs or more while the GPU was idle";
	f->confidence = CONFIDENCE_LOW;
	find_gaps(f, s);
	find_evidence(f, "average duration of these calls", UNIT_NS,
		      cell_real((double)s->total_ns / (double)s->count));
	find_advice(f, "for a CUDA graph: large graphs launch slowly; make it smaller, or upload "
		       "it in advance (cudaGraphUpload)");
	find_advice(f, "if many threads launch: they contend for the driver's lock; use one "
		       "launching thread per GPU");
	f->unless = "the profiler itself slows these calls down: compare with a run without it";
}

static const char *function(struct explain *x, const struct tally_row *row)
{
	struct str name;

	if (row->name == NAME_NONE)
		return "calls without a name in the export";
	name = label_api(trace_name(x->trace, row->name));
	return arena_printf(&x->report->arena, "`%.*s`", (int)name.len, name.s);
}

/* The functions, by the idle time of gaps that they are most of. */
static void add_functions(struct explain *x, struct finding *f, const struct tally_sum *s)
{
	size_t shown = tally_sum_tops(s);

	for (size_t i = 0; i < shown; i++) {
		const struct tally_row *row = &s->tally->rows[s->top[i]];

		find_evidence(f, arena_printf(&x->report->arena, "idle in %s", function(x, row)),
			      UNIT_NS, cell_int(row->total_ns));
	}
	if (s->rows > shown)
		find_evidence(f, "more functions", UNIT_COUNT,
			      cell_int((int64_t)(s->rows - shown)));
}

static void find_slow_calls(struct explain *x, const struct tally_sum *gaps)
{
	struct tally_sum functions;
	struct finding *f;

	if (!gaps->rows)
		return;
	tally_sum_group(&functions, &x->slow_calls, 0);
	f = find_lost(x, "slow_calls", tally_sum_worst(gaps),
		      "GPU idle while the host is in %s%s, %s",
		      function(x, &functions.tally->rows[functions.top[0]]),
		      functions.rows > 1 ? " and other CUDA calls" : "", find_place(x, gaps));
	if (f) {
		f->how = "idle time in gaps that spend half or more in CUDA calls other than "
			 "launches, copies, synchronisation and allocation";
		add_functions(x, f, &functions);
		find_gaps(f, gaps);
		find_advice(f, "move the call out of the loop: make it once and keep the result "
			       "(streams, events, attributes, instantiated graphs)");
		find_advice(f, "if a graph changes, update it (cudaGraphExecUpdate) instead of "
			       "instantiating it again; do not poll in a loop");
		f->unless = "the capture is short and this is still warm-up";
	}
	tally_sum_free(&functions);
}

void explain_calls(struct explain *x)
{
	find_cause(x, CAUSE_ALLOC, find_alloc);
	find_cause(x, CAUSE_SLOW_LAUNCH, find_slow_launches);
	find_cause(x, CAUSE_CALLS, find_slow_calls);
}
