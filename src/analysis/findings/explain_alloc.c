/* Which calls that allocate, free or load code is the GPU idle in? */
#include "analysis/findings/explain.h"
#include "trace/calls/call_class.h"
#include "trace/system/labels.h"

static const double alone = 0.75; /* of the time: then nothing else needs a name */

/* What such gaps are spent in: one function, or loading code by whatever call. */
struct alloc_share {
	uint32_t name; /* trace->names; NAME_NONE: module loading */
	int64_t ns;
};

struct alloc_shares {
	struct alloc_share first, second;
	int64_t total_ns, loading_ns;
};

static void add_share(struct alloc_shares *s, struct alloc_share one)
{
	s->total_ns = sat_add(s->total_ns, one.ns);
	if (one.ns > s->first.ns) {
		s->second = s->first;
		s->first = one;
	} else if (one.ns > s->second.ns) {
		s->second = one;
	}
}

static bool loads_code(const struct explain *x, uint32_t name)
{
	bool blocks;

	return name == NAME_NONE || call_class(trace_name(x->trace, name), &blocks) == CALL_MODULE;
}

static struct alloc_shares share_out(const struct explain *x)
{
	const struct time_sums *calls = &x->sums[SUM_ALLOC_CALLS];
	struct alloc_shares s = {.loading_ns = x->loading_ns};

	for (size_t i = 0; i < calls->count; i++) {
		const struct time_sum *row = &calls->rows[i];

		if (loads_code(x, row->name))
			s.loading_ns = sat_add(s.loading_ns, row->total_ns);
		else
			add_share(&s, (struct alloc_share){row->name, row->total_ns});
	}
	add_share(&s, (struct alloc_share){NAME_NONE, s.loading_ns});
	return s;
}

static const char *call_it(struct explain *x, uint32_t name)
{
	return name == NAME_NONE ? "module loading"
				 : find_code(x, label_api(trace_name(x->trace, name)));
}

static const char *call_both(struct explain *x, const struct alloc_shares *s)
{
	const char *first = call_it(x, s->first.name);

	if (!s->second.ns || is_share(s->first.ns, s->total_ns, alone))
		return first;
	return arena_printf(&x->report->arena, "%s and %s", first, call_it(x, s->second.name));
}

static void advise(struct explain *x, struct finding *f, const struct alloc_shares *s)
{
	const bool pins = s->first.name != NAME_NONE &&
			  str_holds(trace_name(x->trace, s->first.name), "Host");

	if (pins)
		find_advice(f, "pin host memory once and reuse it: a ring of buffers that are "
			       "allocated before the work begins");
	else if (!is_share(s->loading_ns, s->total_ns, alone))
		find_advice_for(x, f,
				"reuse memory: use a caching allocator (PyTorch's is on unless "
				"PYTORCH_NO_CUDA_MEMORY_CACHING is set), and allocate buffers once",
				"allocate buffers once and reuse them, or allocate from a pool "
				"(cudaMallocAsync)");
	if (is_share(s->loading_ns, s->total_ns, 1 - alone))
		find_advice(f, "run a warm-up step first, so that modules are loaded and kernels "
			       "selected before the work begins");
}

void explain_alloc(struct explain *x, const struct time_total *gaps)
{
	const int64_t ns = time_total_worst(gaps), most_ns = sat_add(x->alloc_ns, x->beside_ns);
	const struct alloc_shares s = share_out(x);
	const bool only_loads = s.loading_ns >= s.total_ns;
	struct finding *f =
		find_lost(x, "alloc_in_steady", ns < most_ns ? ns : most_ns, "GPU idle during %s%s",
			  call_both(x, &s), find_place(x, gaps));

	if (!f)
		return;
	f->how = "idle time in gaps of which these calls take a quarter or more; at most the "
		 "duration of these calls and the launches next to them";
	f->confidence = only_loads ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	find_gaps(f, gaps);
	find_time(f, "time in calls that allocate, free or load modules", x->alloc_ns);
	if (x->loading_ns)
		find_time(f, "of which first launches of a kernel, slow only once", x->loading_ns);
	advise(x, f, &s);
	f->unless = "the capture is short and this is still warm-up";
}
