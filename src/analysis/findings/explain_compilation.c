/* Are kernels compiled while the GPU waits for them? */
#include "analysis/findings/code_functions.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/span.h"

enum { LOADS_MIN = 3 }; /* modules: one or two are part of starting */

static const double most = 0.5; /* of gaps, or of samples: then that is what they are */

/* Words that ranges around compilers have. */
static bool is_compiling(struct str range)
{
	static const char *const words[] = {"nvrtc", "Nvrtc", "NVRTC", "ompile", "JIT", "ptxas"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_holds(range, words[i]))
			return true;
	}
	return false;
}

bool *explain_find_compiling(const struct strtab *names)
{
	bool *compiles = mem_alloc(names->count, sizeof(*compiles));

	for (size_t i = 0; i < names->count; i++)
		compiles[i] = is_compiling(names->items[i]);
	return compiles;
}

/* What is nested is in its outer one. */
int64_t explain_sum_compiling(struct explain *x)
{
	const struct range_forest *forest = &x->judge.attribution.forest;
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	struct range last = {.thread = ID_NONE};
	int64_t ns = 0;

	for (size_t i = 0; x->judge.joined && ev->name && i < forest->count; i++) {
		const struct range *r = &forest->ranges[i];

		if ((r->thread == last.thread && r->start_ns < last.end_ns) ||
		    ev->name[r->row] == NAME_NONE || !x->compiles[x->folded[ev->name[r->row]]])
			continue;
		last = *r;
		ns = sat_add(ns,
			     explain_in_stalls(x, r->thread, (struct span){r->start_ns, r->end_ns},
					       &x->waits.named));
	}
	return ns;
}

static const char compile_once[] =
	"compile once and keep the module: outside the loop, or in a cache on disk (CuPy, Numba, "
	"Triton and Inductor have one)";
static const char keep_module[] =
	"compile once and keep the module: outside the loop, or its binary in a cache on disk";
static const char by_number[] = "kernels that differ only by a number: pass it as an argument, or "
				"compile all variants before";
static const char new_shapes[] =
	"shapes that change at each step have a new kernel made for each (cuDNN attention, "
	"torch.compile): pad them, or choose another attention backend";

static void advise_compilation(const struct explain *x, struct finding *f)
{
	const bool in_steps = x->scope.chosen == SPAN_WARM;

	if (x->program.torch && in_steps)
		find_advice(f, new_shapes);
	find_advice(f, x->program.python ? compile_once : keep_module);
	if (!x->program.torch || !in_steps)
		find_advice(f, by_number);
	f->unless = "the run is short, and each kernel is compiled only once in it";
}

/* PTX is compiled by the call that loads it; a binary is only loaded: the trace does not tell. */
bool explain_loading(struct explain *x, const struct time_total *s)
{
	const struct code_choice calls = calls_of_causes(x, CAUSE_ALLOC, CAUSE_ALLOC);
	struct finding *f;

	if (x->loads.gaps < LOADS_MIN || !is_share(x->loads.ns, s->total_ns, most))
		return false;
	f = find_lost(x, "run_time_compilation", time_total_worst(s),
		      "Run-time compilation: the GPU waits while the driver loads modules, and "
		      "probably compiles them%s",
		      explain_calls_place(x, &calls, s));
	if (!f)
		return false;
	f->how = "idle time in gaps of which loading modules takes a quarter or more";
	find_gaps(x, f, s);
	find_count(f, "of these, that load a module", x->loads.gaps);
	find_time(f, "idle time in these", x->loads.ns);
	explain_calls_add(x, f, &calls, "calls", s);
	advise_compilation(x, f);
	return true;
}

void explain_compiling(struct explain *x, const struct time_total *s)
{
	struct finding *f = find_lost(x, "run_time_compilation", time_total_worst(s),
				      "Run-time compilation: the GPU waits while kernels compile%s",
				      find_place(x, s));

	if (!f)
		return;
	f->confidence = CONFIDENCE_HIGH;
	f->how = "idle time in gaps while the launching thread is in ranges about compiling";
	find_gaps(x, f, s);
	advise_compilation(x, f);
}

bool explain_compiles_in_ranges(const struct explain *x)
{
	return explain_is_most_of_stalls(x, x->waits.named_ns);
}

/* In those ranges, or in the gaps that end with loading a module, or somewhere in all of them. */
static void place_compilation(const struct explain *x, struct finding *f, bool named)
{
	struct longest_parts all = {0};
	struct time_part longest;

	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		if (s->loads || !x->waits.loads)
			longest_parts_add(&all,
					  time_part_all((struct span){s->start_ns, s->end_ns}));
	}
	longest = find_places(f, named ? &x->waits.named : &all);
	longest_parts_free(&all);
	find_evidence_in(f, named ? "longest time in such a range" : "longest gap", longest.time);
}

/* Samples say so, or a range does; without them modules that come again and again do. */
bool explain_compilation(struct explain *x)
{
	const struct host_waits *w = &x->waits;
	const bool sampled = w->samples >= EXPLAIN_SAMPLES_MIN;
	const bool named = explain_compiles_in_ranges(x);
	const bool seen = sampled && (double)w->compiling >= most * (double)w->samples;
	const bool likely =
		!sampled && w->loads >= LOADS_MIN && explain_is_most_of_stalls(x, w->loads_ns);
	int64_t ns = named ? w->named_ns : w->loads_ns;
	struct finding *f;

	if (!seen && !named && !likely)
		return false;
	if (!ns)
		ns = sat_of_double((double)w->stall_ns * (double)w->compiling / (double)w->samples);
	f = find_lost(x, "run_time_compilation", ns,
		      "Run-time compilation%s: the GPU waits while kernels compile",
		      seen || named ? "" : ", probably");
	if (!f)
		return false;
	f->confidence = seen || named ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	f->how = "idle time in gaps whose host code ends with loading a module, or is in a range "
		 "about compiling, or in a compiler by its samples";
	find_time(f, "idle time in gaps of host code", w->stall_ns);
	place_compilation(x, f, named);
	if (w->loads)
		find_count(f, "of these, that end with loading a module", w->loads);
	if (sampled)
		find_evidence(f, "samples of the host in a compiler", UNIT_PERCENT,
			      cell_real(100.0 * (double)w->compiling / (double)w->samples));
	advise_compilation(x, f);
	return true;
}
