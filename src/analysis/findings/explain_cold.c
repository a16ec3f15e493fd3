/* What is a warm-up: which steps, what do they do, and how much of a window? */
#include "analysis/findings/explain.h"

#include "analysis/steps/warm_ups.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/span.h"
#include "text/units.h"
#include "trace/calls/call_class.h"

#include <stdlib.h>

static const double chief = 0.5;	  /* of what they take longer: then that is the cause */
static const double noticeable = 0.05;	  /* of it: less is not listed */
static const double worth_telling = 0.01; /* of the window, that a warm-up costs */
static const double much = 0.25;	  /* of the window: that is not what is asked about */
static const double enough = 0.0001; /* of it comes after: else there is nothing to ask about */

enum cold_work {
	COLD_LOADING,
	COLD_LAUNCHES,
	COLD_GRAPHS,
	COLD_ALLOC,
	COLD_LIBRARIES,
	COLD_HOST,
	COLD_WORKS,
	COLD_OTHER = COLD_WORKS, /* calls that say nothing of a start */
};

static const char *const called[] = {
	[COLD_LOADING] = "module loading",
	[COLD_LAUNCHES] = "first launches of kernels",
	[COLD_GRAPHS] = "making CUDA graphs",
	[COLD_ALLOC] = "memory allocation",
	[COLD_LIBRARIES] = "compiling or loading libraries",
	[COLD_HOST] = "host code outside CUDA calls",
};

enum { LIBRARY_NS = 1000000 }; /* host code of that length that ends with loading is for it */

struct cold_call {
	struct span part; /* in the stretch */
	bool loads;
};

/* What the threads of one process did in a time. */
struct stretch {
	struct span time;
	uint32_t process;
	int64_t ns[COLD_WORKS];
	uint64_t loads; /* modules */
	struct cold_call *calls;
	size_t call_count, call_cap;
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

static enum cold_work work_of(struct str function)
{
	bool blocks;
	const enum call_class class = call_class(function, &blocks);

	return makes_graphs(function) ? COLD_GRAPHS
	       : class == CALL_MODULE ? COLD_LOADING
	       : class == CALL_ALLOC  ? COLD_ALLOC
				      : COLD_OTHER;
}

static uint32_t process_of(const struct explain *x, uint32_t thread)
{
	const struct trace *t = x->trace;

	return thread < t->thread_keys.count ? trace_thread_process(t, thread) : ID_NONE;
}

/* What is known of all calls of one origin. */
struct origin {
	uint32_t process; /* ID_NONE: none that is asked about */
	enum cold_work work;
	bool loads; /* a module */
};

/* Names are looked at once for all calls, of which there are many more. */
static struct origin *study_origins(const struct explain *x)
{
	const struct calls *c = &x->judge.calls;
	struct origin *of = mem_alloc(c->origin_count, sizeof(*of));

	for (size_t i = 0; i < c->origin_count; i++) {
		const uint32_t thread = c->origins[i].thread;
		const struct str name = trace_name(x->trace, c->origins[i].name);
		const bool asked = scope_has_thread(&x->scope, x->trace, thread);

		of[i] = (struct origin){asked ? process_of(x, thread) : ID_NONE, work_of(name),
					loads_module(name)};
	}
	return of;
}

static bool overlaps(const struct api_call *call, struct span time)
{
	return call->duration_ns > 0 && call->start_ns < time.end_ns &&
	       api_call_end(call) > time.start_ns;
}

/* The process that makes most calls in a time: ranks start side by side, one stands for all. */
static uint32_t find_busiest(const struct explain *x, const struct origin *origins,
			     struct span time)
{
	const struct calls *c = &x->judge.calls;
	const size_t count = x->trace->process_keys.count;
	uint64_t *calls = mem_zalloc(count, sizeof(*calls)), most = 0;
	uint32_t busiest = ID_NONE;

	for (size_t i = 0; i < c->count; i++) {
		const struct api_call call = calls_at(c, i);
		const uint32_t process = origins[call.origin].process;

		if (process < count && overlaps(&call, time) && ++calls[process] > most) {
			most = calls[process];
			busiest = process;
		}
	}
	free(calls);
	return busiest;
}

/* Of a call that overlaps it. */
static struct span part_in(const struct stretch *s, const struct api_call *call)
{
	const int64_t end_ns = api_call_end(call);

	return (struct span){
		call->start_ns > s->time.start_ns ? call->start_ns : s->time.start_ns,
		end_ns < s->time.end_ns ? end_ns : s->time.end_ns,
	};
}

static void add_time(struct stretch *s, enum cold_work work, struct span part)
{
	if (work != COLD_OTHER)
		s->ns[work] = sat_add(s->ns[work], sat_sub(part.end_ns, part.start_ns));
}

static void add_call(struct stretch *s, const struct api_call *call, const struct origin *origin)
{
	const struct span part = part_in(s, call);

	add_time(s, origin->work, part);
	s->loads += origin->loads && call->start_ns >= s->time.start_ns;
	MEM_GROW(s->calls, s->call_cap, s->call_count + 1);
	s->calls[s->call_count++] = (struct cold_call){part, origin->loads};
}

static void add_calls(const struct explain *x, const struct origin *origins, struct stretch *s)
{
	const struct calls *c = &x->judge.calls;

	for (size_t i = 0; i < c->count; i++) {
		const struct api_call call = calls_at(c, i);
		const struct origin *origin = &origins[call.origin];

		if (origin->process == s->process && overlaps(&call, s->time))
			add_call(s, &call, origin);
	}
}

static int compare_calls(const void *a, const void *b)
{
	const struct cold_call *s = a, *t = b;

	return (s->part.start_ns > t->part.start_ns) - (s->part.start_ns < t->part.start_ns);
}

/* When no thread is in a call, all of them run host code: a library's, where that is loaded then.
 */
static void add_host(struct stretch *s)
{
	int64_t reached_ns = s->time.start_ns, in_calls_ns = 0, libraries_ns = 0;

	if (s->call_count)
		qsort(s->calls, s->call_count, sizeof(*s->calls), compare_calls);
	for (size_t i = 0; i < s->call_count; i++) {
		const struct cold_call *call = &s->calls[i];
		const int64_t host_ns = sat_sub(call->part.start_ns, reached_ns);

		if (call->loads && host_ns >= LIBRARY_NS)
			libraries_ns = sat_add(libraries_ns, host_ns);
		in_calls_ns = sat_add(in_calls_ns, span_beyond(call->part, &reached_ns));
	}
	s->ns[COLD_LIBRARIES] = libraries_ns;
	s->ns[COLD_HOST] = sat_sub(sat_sub(sat_sub(s->time.end_ns, s->time.start_ns), in_calls_ns),
				   libraries_ns);
}

static bool runs_first(const struct explain *x, uint64_t kernel)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	const uint32_t name = ev->name[kernel];

	return name != NAME_NONE && ev->start_ns[kernel] == x->first_run_ns[name];
}

/*
 * The first launch of a kernel loads its code, and what the library around it needs. A graph's
 * launch is the first of many.
 */
static void add_first_launches(const struct explain *x, struct stretch *s)
{
	const struct events *ev = &x->trace->events[TRACE_KERNELS];
	const struct attribution *a = &x->judge.attribution;
	bool *seen = mem_zalloc(a->launches.launch_count, sizeof(*seen));

	for (uint64_t i = 0; ev->name && ev->start_ns && i < ev->count; i++) {
		struct api_call call;
		bool *one;

		if (!runs_first(x, i) || !attribution_call(a, TRACE_KERNELS, i, &call) ||
		    !overlaps(&call, s->time) ||
		    process_of(x, launches_origin(&a->launches, &call).thread) != s->process)
			continue;
		one = &seen[a->launches.launch_of_op[a->launches.begin[TRACE_KERNELS] + i]];
		if (!*one)
			add_time(s, COLD_LAUNCHES, part_in(s, &call));
		*one = true;
	}
	free(seen);
}

static struct stretch look_at(const struct explain *x, const struct origin *origins,
			      uint32_t process, struct span time)
{
	struct stretch s = {.time = time, .process = process};

	add_calls(x, origins, &s);
	add_host(&s);
	add_first_launches(x, &s);
	free(s.calls);
	s.calls = NULL;
	return s;
}

/* The cold steps, and as many warm ones. */
struct starting {
	struct stretch cold, warm;
	int64_t more_ns[COLD_WORKS];
	enum cold_work most;
};

static bool look_at_both(const struct explain *x, struct starting *ret)
{
	const struct cold_steps *c = &x->scope.cold;
	const int64_t as_many_ns = sat_sub(sat_sub(c->to_ns, c->from_ns), c->more_ns);
	struct origin *origins;
	uint32_t process;

	if (!x->judge.joined)
		return false;
	origins = study_origins(x);
	process = find_busiest(x, origins, (struct span){c->from_ns, c->to_ns});
	if (process != ID_NONE) {
		ret->cold = look_at(x, origins, process, (struct span){c->from_ns, c->to_ns});
		ret->warm = look_at(x, origins, process,
				    (struct span){c->to_ns, sat_add(c->to_ns, as_many_ns)});
	}
	free(origins);
	ret->most = COLD_LOADING;
	for (int work = 0; work < COLD_WORKS; work++) {
		ret->more_ns[work] = sat_sub(ret->cold.ns[work], ret->warm.ns[work]);
		if (ret->more_ns[work] > ret->more_ns[ret->most])
			ret->most = (enum cold_work)work;
	}
	return process != ID_NONE;
}

static void advise(struct finding *f, enum cold_work cause)
{
	if (cause == COLD_LIBRARIES)
		find_advice(f,
			    "where the first request counts, run a step of each shape at start, or "
			    "keep what is compiled in a cache on disk");
	else if (cause == COLD_LOADING || cause == COLD_LAUNCHES)
		find_advice(f, "where the first request counts, run a step of each shape at start; "
			       "CUDA_MODULE_LOADING=EAGER loads all code before");
	else if (cause == COLD_HOST)
		find_advice(f, "where the first request counts, run a step of each shape at start: "
			       "libraries such as cuBLAS and cuDNN start, compilers and autotuners "
			       "work in the first one");
	else
		find_advice(f, "where the first request counts, run a step of each shape at start");
}

static void add_works(struct finding *f, const struct starting *s, int64_t more_ns)
{
	for (int work = 0; work < COLD_WORKS; work++) {
		if (is_share(s->more_ns[work], more_ns, noticeable) || work == COLD_LOADING)
			find_time(f, called[work], s->more_ns[work] > 0 ? s->more_ns[work] : 0);
	}
	if (s->cold.loads)
		find_count(f, "modules loaded in them", s->cold.loads);
}

/* What they take is taken once: it is no cost of a step, and told apart. */
void explain_cold(struct explain *x)
{
	const struct cold_steps *cold = &x->scope.cold;
	struct starting s = {0};
	struct buf more = {0};
	bool known, caused;
	struct finding *f;

	if (!cold->count || !is_share(cold->more_ns, x->window_ns, worth_telling))
		return;
	known = look_at_both(x, &s);
	caused = known && is_share(s.more_ns[s.most], cold->more_ns, chief);
	units_add_ns(&more, (double)cold->more_ns);
	f = find_fact(x, "cold_steps", cold->more_ns > x->window_ns ? SEVERITY_LOW : SEVERITY_INFO,
		      "Warm-up%s%s%s costs %s in the first %s", caused ? " (" : "",
		      caused ? called[s.most] : "", caused ? ")" : "", more.s,
		      cold->count == 1 ? "step"
				       : arena_printf(&x->report->arena, "%zu steps", cold->count));
	f->how = "a cost of starting, not of a step: it is outside the window";
	find_evidence_over(f, "cold steps", UNIT_COUNT, cell_int((int64_t)cold->count),
			   cold->from_ns, cold->to_ns);
	find_time(f, "longer than as many warm ones", cold->more_ns);
	if (known)
		add_works(f, &s, cold->more_ns);
	advise(f, caused ? s.most : COLD_OTHER);
	f->unless = "the process runs for long, and its start does not matter";
	buf_free(&more);
}

/* How long the window is in ranges that are called a warm-up, and when the last of them ends. */
static int64_t sum_warm_ups(const struct explain *x, int64_t *ret_end_ns)
{
	size_t count;
	struct warm_up *all = warm_ups_list(x->trace, &count);
	int64_t reached_ns = x->timeline.from_ns, ns = 0;

	*ret_end_ns = x->timeline.from_ns;
	for (size_t i = 0; i < count; i++) {
		struct span *when = &all[i].when;

		if (when->end_ns > x->timeline.to_ns)
			when->end_ns = x->timeline.to_ns;
		ns = sat_add(ns, span_beyond(*when, &reached_ns));
		if (when->end_ns > *ret_end_ns)
			*ret_end_ns = when->end_ns;
	}
	free(all);
	return ns;
}

/* Nothing is sure of a window that is mostly something else. */
static void lower_confidence(struct explain *x)
{
	for (size_t i = 0; i < x->found_count; i++) {
		if (x->found[i].confidence == CONFIDENCE_HIGH && x->found[i].recoverable_ns > 0)
			x->found[i].confidence = CONFIDENCE_MEDIUM;
	}
}

void explain_warm_up(struct explain *x)
{
	struct finding *f;
	int64_t end_ns, ns;

	/* Where there are steps the cold ones are not in it; a window that is asked for is wanted.
	 */
	if (x->scope.chosen != SPAN_GPU || !x->trace->events[TRACE_NVTX].name)
		return;
	ns = sum_warm_ups(x, &end_ns);
	if (!is_share(ns, x->window_ns, much) ||
	    !is_share(x->timeline.to_ns - end_ns, x->window_ns, enough))
		return;
	lower_confidence(x);
	x->warm_up = arena_printf(&x->report->arena,
				  " But %.0f %% of this window is a warm-up: --trim %.6f %.6f asks "
				  "about the rest.",
				  100 * (double)ns / (double)x->window_ns, (double)end_ns / 1e9,
				  (double)x->timeline.to_ns / 1e9);
	f = find_fact(x, "warm_up_in_window", SEVERITY_LOW,
		      "%.0f %% of the window is a warm-up, by the name of its ranges",
		      100 * (double)ns / (double)x->window_ns);
	f->how = "not estimated: the findings above count the warm-up, too";
	find_evidence_over(f, "in ranges that are called a warm-up", UNIT_NS, cell_int(ns),
			   x->timeline.from_ns, end_ns);
	find_advice(f, arena_printf(&x->report->arena,
				    "ask about what comes after it: --trim %.6f %.6f, or --marker "
				    "REGEX with the name of what repeats there",
				    (double)end_ns / 1e9, (double)x->timeline.to_ns / 1e9));
	f->unless = "the warm-up is what you want to know about";
}
