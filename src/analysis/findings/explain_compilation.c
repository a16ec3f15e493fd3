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

/* What XLA runs to choose among the kernels that it compiles. */
static bool is_tuner(struct str kernel)
{
	static const char *const names[] = {"RedzoneAllocatorKernel", "DelayKernel",
					    "xla_fp_comparison", "RepeatBufferKernel"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_holds(kernel, names[i]))
			return true;
	}
	return false;
}

/* The run of a module that it is a part of: what is tried is compiled before and after, too. */
static struct span widen_to_module(const struct explain *x, struct span tuning)
{
	const struct events *ev = &x->trace->events[TRACE_NVTX];
	struct span all = tuning;

	for (uint64_t i = 0; ev->name && ev->start_ns && ev->duration_ns && i < ev->count; i++) {
		const struct span range = {ev->start_ns[i],
					   sat_add(ev->start_ns[i], ev->duration_ns[i])};

		if (ev->name[i] != NAME_NONE && ev->duration_ns[i] != DURATION_NONE &&
		    str_starts(trace_name(x->trace, ev->name[i]), "Xla") &&
		    span_overlap(range, tuning) > 0)
			span_widen(&all, range);
	}
	return all;
}

/* From the first to the last time that it does; empty: it never does. */
static struct span find_tuning(const struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	struct span all = SPAN_NONE;

	for (uint64_t i = 0; x->program.jax && ev->name && i < ev->count; i++) {
		if (ev->name[i] != NAME_NONE && explain_op_ns(x, TRACE_KERNELS, i) > 0 &&
		    is_tuner(trace_name(x->trace, ev->name[i])))
			span_widen(&all, explain_op_span(x, TRACE_KERNELS, i));
	}
	return all.end_ns > all.start_ns ? widen_to_module(x, all) : all;
}

/* Of x->stalls; where they are, too. */
static int64_t sum_stalls_in(const struct explain *x, struct span time, struct longest_parts *where)
{
	int64_t ns = 0;

	for (size_t i = 0; time.end_ns > time.start_ns && i < x->stalls.count; i++) {
		const struct span gap = {x->stalls.all[i].start_ns, x->stalls.all[i].end_ns};

		if (!span_overlap(gap, time))
			continue;
		ns = sat_add(ns, span_overlap(gap, time));
		longest_parts_add(where, (struct time_part){span_common(gap, time), gap});
	}
	return ns;
}

static void tell_autotuning(struct explain *x, struct finding *f, struct span tuning,
			    const struct longest_parts *where)
{
	f->how = "idle time in gaps of host code between the first and the last kernel of XLA's "
		 "autotuner, and in the XLA range around them";
	find_time(f, "idle time in gaps of host code", x->waits.stall_ns);
	find_evidence_over(f, "in which XLA tries kernels", UNIT_NS, cell_int(span_ns(tuning)),
			   tuning.start_ns, tuning.end_ns);
	find_evidence_in(f, "longest gap", find_places(f, where).time);
	find_advice(f, "keep what is compiled: JAX_COMPILATION_CACHE_DIR for programs, "
		       "XLA_FLAGS=--xla_gpu_per_fusion_autotune_cache_dir=DIR for what was tried");
	find_advice(f, arena_printf(&x->report->arena,
				    "ask about what comes after it: --trim %.6f %.6f",
				    (double)tuning.end_ns / 1e9, (double)x->timeline.to_ns / 1e9));
	f->unless = "the process runs for long, and its start does not matter";
}

/* Threads of its own launch what is tried: no range of theirs tells what they do. */
static bool find_autotuning(struct explain *x)
{
	const struct span tuning = find_tuning(x);
	struct longest_parts where = {0};
	const int64_t ns = sum_stalls_in(x, tuning, &where);
	struct finding *f = NULL;

	if (ns && explain_is_most_of_stalls(x, ns))
		f = find_lost(x, "run_time_compilation", ns,
			      "Run-time compilation: the GPU waits while XLA compiles and tries "
			      "kernels");
	if (f)
		tell_autotuning(x, f, tuning, &where);
	longest_parts_free(&where);
	return f;
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

	if (!seen && !named && find_autotuning(x))
		return true;
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
