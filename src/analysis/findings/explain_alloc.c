/* Which calls that allocate, free or load code is the GPU idle in? */
#include "analysis/findings/code_functions.h"
#include "text/units.h"
#include "trace/calls/call_class.h"
#include "trace/system/labels.h"

enum { NAMED = 4, IN_TITLE = 2 };

static const double alone = 0.8; /* of the time: then nothing else needs a name */
static const double some = 0.1;	 /* of the time: then it is not left out */

/* What such gaps are spent in: one function, or loading code by whatever call. */
struct alloc_share {
	uint32_t name; /* trace->names; NAME_NONE: module loading */
	int64_t ns;
};

/* On the GPU that has most of each. */
struct alloc_shares {
	struct alloc_share top[NAMED]; /* most first */
	size_t named, count;
	int64_t total_ns, loading_ns;
	/* of the rest: what frees, what is about host memory, and what a pool gives or takes */
	int64_t freeing_ns, pinned_ns, pool_ns;
};

static void rank_share(struct alloc_shares *s, struct alloc_share one)
{
	size_t at = s->named;

	while (at > 0 && s->top[at - 1].ns < one.ns)
		at--;
	s->count++;
	s->total_ns = sat_add(s->total_ns, one.ns);
	if (at == NAMED)
		return;
	s->named += s->named < NAMED;
	for (size_t i = s->named - 1; i > at; i--)
		s->top[i] = s->top[i - 1];
	s->top[at] = one;
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
		const uint32_t name = calls->rows[i].name;
		const int64_t ns = time_sums_worst(calls, i);

		if (loads_code(x, name)) {
			s.loading_ns = sat_add(s.loading_ns, ns);
			continue;
		}
		if (str_holds(trace_name(x->trace, name), "Free"))
			s.freeing_ns = sat_add(s.freeing_ns, ns);
		if (str_holds(trace_name(x->trace, name), "Host"))
			s.pinned_ns = sat_add(s.pinned_ns, ns);
		if (str_holds(trace_name(x->trace, name), "Async") ||
		    str_holds(trace_name(x->trace, name), "Pool"))
			s.pool_ns = sat_add(s.pool_ns, ns);
		rank_share(&s, (struct alloc_share){name, ns});
	}
	if (s.loading_ns)
		rank_share(&s, (struct alloc_share){NAME_NONE, s.loading_ns});
	return s;
}

static const char *call_it(struct explain *x, uint32_t name)
{
	return name == NAME_NONE ? "module loading"
				 : find_code(x, label_api(trace_name(x->trace, name)));
}

static bool is_one(const struct alloc_shares *s)
{
	return s->count <= 1 || is_share(s->top[0].ns, s->total_ns, alone);
}

/* "memory is allocated and freed": what the calls have in common. */
static void add_work(struct buf *b, const struct alloc_shares *s)
{
	const int64_t memory_ns = sat_sub(s->total_ns, s->loading_ns);
	const bool frees = is_share(s->freeing_ns, s->total_ns, some);
	const bool allocates = is_share(sat_sub(memory_ns, s->freeing_ns), s->total_ns, some);

	buf_addf(b, "memory is %s%s%s", allocates || !frees ? "allocated" : "",
		 allocates && frees ? " and " : "", frees ? "freed" : "");
	if (is_share(s->loading_ns, s->total_ns, some))
		buf_adds(b, " and modules are loaded");
}

/* One call by its name; several by what they do, and the largest with their times. */
static const char *call_all(struct explain *x, const struct alloc_shares *s)
{
	struct buf b = {0};
	const char *text;

	if (!s->count)
		return "while memory is allocated or modules are loaded";
	if (is_one(s))
		return arena_printf(&x->report->arena, "during %s", call_it(x, s->top[0].name));
	buf_adds(&b, "while ");
	add_work(&b, s);
	for (size_t i = 0; i < s->named && i < IN_TITLE; i++) {
		buf_addf(&b, "%s%s ", i ? ", " : " (", call_it(x, s->top[i].name));
		units_add_ns(&b, (double)s->top[i].ns);
	}
	buf_adds(&b, s->count > IN_TITLE ? ", …)" : ")");
	text = arena_strdup(&x->report->arena, b.s);
	buf_free(&b);
	return text;
}

static void advise(struct explain *x, struct finding *f, const struct alloc_shares *s)
{
	const int64_t device_ns =
		sat_sub(sat_sub(sat_sub(s->total_ns, s->loading_ns), s->pinned_ns), s->pool_ns);

	if (is_share(s->pinned_ns, s->total_ns, 1 - alone))
		find_advice(f, "pin host memory once and reuse it: a ring of buffers that are "
			       "allocated before the work begins");
	if (is_share(s->pool_ns, s->total_ns, 1 - alone))
		find_advice(f, "set cudaMemPoolAttrReleaseThreshold, so that the pool keeps freed "
			       "memory; or allocate buffers once");
	if (is_share(device_ns, s->total_ns, 1 - alone))
		find_advice_for(x, f,
				"reuse memory: use a caching allocator (PyTorch's is on unless "
				"PYTORCH_NO_CUDA_MEMORY_CACHING is set), and allocate buffers once",
				"allocate buffers once and reuse them, or allocate from a pool "
				"(cudaMallocAsync)");
	if (is_share(s->loading_ns, s->total_ns, 1 - alone))
		find_advice(f, "run a warm-up step first, so that modules are loaded and kernels "
			       "selected before the work begins");
}

/*
 * Whether these gaps are the start of the driver, in whichever call it is: a launch that makes the
 * context loads no module that is worth a word.
 */
static bool is_start(const struct explain *x)
{
	return x->start.ns && !x->start.between && x->start.at_ns >= x->timeline.from_ns &&
	       is_share(x->start.ns, x->alloc_ns, alone);
}

static void find_start(struct explain *x, const struct time_total *gaps, int64_t ns)
{
	const struct code_choice calls = calls_of_causes(x, CAUSE_ALLOC, CAUSE_ALLOC);
	struct finding *f = find_lost(x, "alloc_in_steady", ns,
				      "GPU idle during context creation: the driver starts %s",
				      explain_start_place(x));

	if (!f)
		return;
	x->start.told = true;
	f->how = "idle time in gaps of which this call takes a quarter or more; at most its "
		 "duration";
	find_gaps(x, f, gaps);
	find_evidence_at(f, "the call", x->start.ns, x->start.at_ns);
	explain_calls_add(x, f, &calls, "calls", gaps);
	explain_advise_start(x, f);
}

static void find_alloc(struct explain *x, const struct time_total *gaps, int64_t ns)
{
	const struct alloc_shares s = share_out(x);
	const bool only_loads = s.loading_ns >= s.total_ns;
	const struct code_choice calls = calls_of_causes(x, CAUSE_ALLOC, CAUSE_ALLOC);
	struct finding *f = find_lost(x, "alloc_in_steady", ns, "GPU idle %s%s", call_all(x, &s),
				      explain_calls_place(x, &calls, gaps));

	if (!f)
		return;
	f->how = "idle time in gaps of which these calls take a quarter or more; at most the "
		 "duration of these calls and the launches next to them";
	f->confidence = only_loads ? CONFIDENCE_MEDIUM : CONFIDENCE_HIGH;
	find_gaps(x, f, gaps);
	explain_calls_add(x, f, &calls, "calls", gaps);
	explain_code_add(x, f, gaps);
	for (size_t i = 0; !is_one(&s) && i < s.named; i++)
		find_time(f,
			  arena_printf(&x->report->arena, "idle in %s", call_it(x, s.top[i].name)),
			  s.top[i].ns);
	find_time(f, "time in calls that allocate, free or load modules", x->alloc_ns);
	if (x->loading_ns)
		find_time(f, "of which first launches of a kernel, slow only once", x->loading_ns);
	if (x->beside_ns > 0 && f->recoverable_ns > x->alloc_ns)
		find_time(f, "besides, launches next to these calls", x->beside_ns);
	advise(x, f, &s);
	f->unless = "the capture is short and this is still warm-up";
}

void explain_alloc(struct explain *x, const struct time_total *gaps)
{
	const int64_t ns = time_total_worst(gaps), most_ns = sat_add(x->alloc_ns, x->beside_ns);

	(is_start(x) ? find_start : find_alloc)(x, gaps, ns < most_ns ? ns : most_ns);
}
