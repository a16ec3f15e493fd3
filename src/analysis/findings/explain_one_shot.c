/* Is it a program that works for a moment on the GPU, and what does it do for the rest? */
#include "analysis/findings/explain.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "base/span.h"
#include "text/units.h"
#include "trace/system/labels.h"
#include "trace/system/machine.h"

#include <stdlib.h>

/* So much longer is the host's part before and after the GPU's than the GPU's. */
enum { TIMES_LONGER = 3, FAR_LONGER = 8, HOST_MIN_NS = 50000000 };

static const double few_percent = 0.05; /* of such a run, in which the GPU is busy */
static const double most = 0.5;

/* What the host does in the longer part of the rest, before or after the GPU's work. */
enum rest_work {
	REST_CONTEXT, /* the driver starts */
	REST_CALL,    /* one CUDA call */
	REST_OS_CALL, /* one function of the C library */
	REST_WAITS,   /* its thread is on no CPU, and nothing says why */
	REST_COMPILES,
	REST_HOST,
};

struct rest {
	struct span time;
	bool after;
	uint32_t thread; /* whose it is */
	enum rest_work work;
	const char *name; /* of a call: "`cudaMalloc` (120 ms)" */
	bool has_cpu;
	int64_t cpu_ns; /* that the thread is on a CPU */
};

/* A run with a moment of GPU work. */
struct short_run {
	struct program_calls calls;
	struct span run;   /* what the sentence is about */
	bool by_threads;   /* that is all of what is recorded of the threads, not their calls */
	int64_t window_ns; /* first to last GPU work */
	struct rest rest;
};

static struct span part_before(const struct explain *x, struct span run)
{
	return (struct span){run.start_ns, x->timeline.first_ns};
}

static struct span part_after(const struct explain *x, struct span run)
{
	return (struct span){x->timeline.last_ns, run.end_ns};
}

/*
 * Whether it prepares for long or goes on for long, and works for a moment on the GPU: by what is
 * CUDA's. Before the first call a program may do anything.
 */
static bool is_short(const struct explain *x, const struct short_run *s)
{
	const int64_t host_ns = sat_add(span_ns(part_before(x, s->calls.time)),
					span_ns(part_after(x, s->calls.time)));
	const int64_t run_ns = sat_add(host_ns, s->window_ns);

	return host_ns >= HOST_MIN_NS && (host_ns / FAR_LONGER >= s->window_ns ||
					  (host_ns / TIMES_LONGER >= s->window_ns &&
					   !is_share(explain_busiest_ns(x), run_ns, few_percent)));
}

/* By number of a thread: whether it makes a CUDA call that is asked about. */
static bool *find_threads(const struct explain *x)
{
	const struct calls *c = &x->judge.calls;
	const size_t threads = x->trace->thread_keys.count;
	bool *mine = mem_zalloc(threads, sizeof(*mine));

	for (size_t i = 0; i < c->count; i++) {
		const uint32_t thread = c->origins[calls_origin(c, i)].thread;

		if (thread < threads && scope_has_thread(&x->scope, x->trace, thread))
			mine[thread] = true;
	}
	return mine;
}

static void widen_by_events(const struct explain *x, enum trace_kind kind, const bool *mine,
			    struct span *life)
{
	const struct events *ev = &x->trace->events[kind];

	for (uint64_t i = 0; ev->start_ns && ev->duration_ns && ev->thread && i < ev->count; i++) {
		const bool ends = ev->duration_ns[i] != DURATION_NONE && ev->duration_ns[i] > 0;

		if (ev->thread[i] < x->trace->thread_keys.count && mine[ev->thread[i]])
			span_widen(life,
				   (struct span){ev->start_ns[i],
						 ends ? sat_add(ev->start_ns[i], ev->duration_ns[i])
						      : ev->start_ns[i]});
	}
}

static void widen_by_cpu(const struct explain *x, const struct cpu_events *c, const bool *mine,
			 struct span *life)
{
	for (size_t i = 0; i < c->count; i++) {
		const uint32_t thread = idmap_get(&x->trace->thread_keys.map, c->thread[i]);

		if (thread != IDMAP_NONE && mine[thread])
			span_widen(life, (struct span){c->start_ns[i], c->start_ns[i]});
	}
}

/*
 * From the first to the last event of the threads that make CUDA calls. What the capture has before
 * and after is the profiler's start and stop, as far as anybody knows.
 */
static int find_life(struct explain *x, struct span *life, struct err *e)
{
	const struct trace_meta *meta = &x->trace->meta;
	const uint32_t columns = COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME);
	struct cpu_events samples;
	bool *mine;

	if (trace_load(x->trace, TRACE_OSRT, columns, e) < 0 || explain_read_switches(x, e) < 0 ||
	    cpu_samples_read(x->trace, &samples, e) < 0)
		return -1;
	mine = find_threads(x);
	widen_by_events(x, TRACE_OSRT, mine, life);
	widen_by_events(x, TRACE_NVTX, mine, life);
	widen_by_cpu(x, &x->switches, mine, life);
	widen_by_cpu(x, &samples, mine, life);
	cpu_events_free(&samples);
	free(mine);
	/* A call that never returns ends with the capture. */
	if (meta->has_span && life->end_ns > meta->span_ns)
		life->end_ns = meta->span_ns;
	if (life->start_ns < 0)
		life->start_ns = 0;
	return 0;
}

/*
 * The run is from the first CUDA call to the last, or to the last GPU work; where that is next to
 * nothing of what is recorded of the threads, it is all of that.
 */
static int find_run(struct explain *x, struct short_run *s, struct err *e)
{
	struct span life;

	s->run = s->calls.time;
	span_widen(&s->run, (struct span){x->timeline.first_ns, x->timeline.last_ns});
	life = s->run;
	if (find_life(x, &life, e) < 0)
		return -1;
	s->by_threads = span_ns(life) / FAR_LONGER >= span_ns(s->run);
	if (s->by_threads)
		s->run = life;
	return 0;
}

static const char *name_with_time(struct explain *x, struct str name, int64_t ns)
{
	struct buf b = {0};

	buf_addf(&b, "%s (", find_code(x, name));
	units_add_ns(&b, (double)ns);
	buf_addc(&b, ')');
	return report_take_text(x->report, &b);
}

static int64_t part_ns(struct span part, int64_t start_ns, int64_t duration_ns)
{
	const int64_t end_ns = sat_add(start_ns, duration_ns);

	return span_ns((struct span){start_ns > part.start_ns ? start_ns : part.start_ns,
				     end_ns < part.end_ns ? end_ns : part.end_ns});
}

/* The CUDA call that takes most of that part; NULL: none does. */
static const char *longest_call(struct explain *x, struct span part)
{
	const struct calls *c = &x->judge.calls;
	int64_t longest_ns = 0;
	size_t longest = 0;

	for (size_t i = 0; i < c->count; i++) {
		const int64_t ns = part_ns(part, c->start_ns[i], calls_duration(c, i));

		if (ns > longest_ns &&
		    scope_has_thread(&x->scope, x->trace, c->origins[calls_origin(c, i)].thread)) {
			longest_ns = ns;
			longest = i;
		}
	}
	if (!longest_ns || !is_share(longest_ns, span_ns(part), most))
		return NULL;
	return name_with_time(
		x, label_api(trace_name(x->trace, c->origins[calls_origin(c, longest)].name)),
		longest_ns);
}

/* The same of the C library's functions, of one thread. */
static const char *longest_os_call(struct explain *x, const struct rest *r)
{
	const struct events *ev = &x->trace->events[TRACE_OSRT];
	int64_t *ns = mem_zalloc(x->trace->names.count, sizeof(*ns));
	uint32_t top = NAME_NONE;
	const char *found = NULL;

	for (uint64_t i = 0; ev->name && ev->thread && ev->duration_ns && i < ev->count; i++) {
		const uint32_t name = ev->name[i];

		if (name == NAME_NONE || ev->thread[i] != r->thread ||
		    ev->duration_ns[i] == DURATION_NONE)
			continue;
		ns[name] = sat_add(ns[name], part_ns(r->time, ev->start_ns[i], ev->duration_ns[i]));
		if (top == NAME_NONE || ns[name] > ns[top])
			top = name;
	}
	if (top != NAME_NONE && is_share(ns[top], span_ns(r->time), most))
		found = name_with_time(x, trace_name(x->trace, top), ns[top]);
	free(ns);
	return found;
}

/* Julia's own library is among the names that samples have, or its process is called so. */
static int is_julia(struct explain *x, uint32_t thread, bool *ret, struct err *e)
{
	const struct trace *t = x->trace;
	struct host_names names;

	*ret = false;
	for (size_t i = 0; i < t->names.count && !*ret; i++)
		*ret = str_holds(t->names.items[i], "libjulia");
	if (*ret || thread >= t->thread_keys.count)
		return 0;
	if (host_names_read(x->trace, &names, e) < 0)
		return -1;
	*ret = str_starts(host_names_process(&names, t->thread_keys.keys[thread] >> 24), "julia");
	host_names_free(&names);
	return 0;
}

static int find_work(struct explain *x, struct rest *r, struct err *e)
{
	bool julia;

	if (is_julia(x, r->thread, &julia, e) < 0)
		return -1;
	r->has_cpu = explain_thread_on_cpu(x, r->thread, r->time, &r->cpu_ns);
	r->work = REST_CONTEXT;
	if (!r->after && x->start.ns && is_share(x->start.ns, span_ns(r->time), most))
		return 0;
	r->work = REST_CALL;
	r->name = longest_call(x, r->time);
	if (r->name)
		return 0;
	r->work = REST_OS_CALL;
	r->name = longest_os_call(x, r);
	if (r->name)
		return 0;
	r->work = r->has_cpu && !is_share(r->cpu_ns, span_ns(r->time), most) ? REST_WAITS
		  : julia && !r->after					     ? REST_COMPILES
									     : REST_HOST;
	return 0;
}

static int find_rest(struct explain *x, struct short_run *s, struct err *e)
{
	const struct span before = part_before(x, s->run), after = part_after(x, s->run);
	struct rest *r = &s->rest;

	r->after = span_ns(after) > span_ns(before);
	r->time = r->after ? after : before;
	r->thread = r->after ? s->calls.last_thread : s->calls.first_thread;
	return find_work(x, r, e);
}

static bool launches_nothing(const struct explain *x)
{
	return !x->kernel_count && !x->graph_ns;
}

static void add_rest(struct buf *b, const struct rest *r)
{
	const char *where = r->after ? "after its last work" : "before its first work";

	if (r->work == REST_WAITS) {
		buf_addf(b, "%s, where its thread is on a CPU ", where);
		units_add_ns(b, (double)r->cpu_ns);
		buf_adds(b, " of ");
		units_add_ns(b, (double)span_ns(r->time));
		buf_adds(b, ": it waits, and the capture does not show for what");
		return;
	}
	buf_addf(b, "%s %s",
		 r->work == REST_CONTEXT ? "context creation"
		 : r->name		 ? r->name
					 : "host code",
		 where);
	if (r->work == REST_COMPILES)
		buf_adds(b, ", probably compilation: Julia compiles a function at its first call");
}

/* "One-shot program: the GPU works 50 µs of 120 ms …; most of that is context creation …" */
static const char *describe(struct explain *x, const struct short_run *s)
{
	struct buf b = {0};

	buf_addf(&b, "One-shot program%s: the GPU works ",
		 launches_nothing(x) ? " without a kernel" : "");
	units_add_ns(&b, (double)explain_busiest_ns(x));
	buf_adds(&b, s->by_threads ? " of the " : " of ");
	units_add_ns(&b, (double)span_ns(s->run));
	buf_addf(&b, "%s; %s of that is ",
		 s->by_threads ? " that it runs" : " from its first CUDA call to its last",
		 is_share(span_ns(s->rest.time), span_ns(s->run), most) ? "most"
									: "the largest part");
	add_rest(&b, &s->rest);
	return report_take_text(x->report, &b);
}

/* What would show why a thread waits. */
static const char *how_to_see_waits(const struct explain *x)
{
	return x->on_windows
		       ? "see what blocks it: capture with --sample=process-tree, which has a "
			 "backtrace where a thread stops running"
		       : "see what blocks it: capture with --trace=cuda,nvtx,osrt, which has the "
			 "call that a thread waits in and its backtrace, and "
			 "--sample=process-tree";
}

/* About what the sentence names. */
static const char *advice_for(const struct explain *x, const struct rest *r)
{
	switch (r->work) {
	case REST_CONTEXT:
		return "let one process do several jobs: the driver starts once in each";
	case REST_CALL:
		return r->after ? "leave that call out, or make it where nobody waits for it"
				: "make that call once before what is timed, and keep what it "
				  "returns: in the first one the driver, or a pool of memory, "
				  "starts; or let one process do several jobs";
	case REST_OS_CALL:
		return "find what that call waits for, and do it in another thread, or not at all";
	case REST_WAITS:
		return how_to_see_waits(x);
	case REST_COMPILES:
		return "run it once before profiling, so that it is compiled by then; "
		       "PrecompileTools and PackageCompiler keep what was compiled";
	case REST_HOST:
		break;
	}
	return r->after ? "shorten what the host does after the GPU's last work (checking, "
			  "writing results), or let the GPU do it"
			: "shorten what the host does before the first GPU work (reading, "
			  "parsing, initialising), or let one process do several jobs";
}

/* Before the GPU's work and after it: there most of the run is. */
static void add_places(struct finding *f, struct span before, struct span after)
{
	struct longest_parts all = {0};

	longest_parts_add(&all, time_part_all(before));
	longest_parts_add(&all, time_part_all(after));
	find_places(f, &all);
	longest_parts_free(&all);
}

static void add_evidence(struct explain *x, struct finding *f, const struct short_run *s)
{
	const struct trace_meta *meta = &x->trace->meta;
	const struct span before = part_before(x, s->calls.time);
	const struct span after = part_after(x, s->calls.time);

	add_places(f, before, after);
	if (span_ns(before))
		find_evidence_over(f, "from the first CUDA call to the first GPU work", UNIT_NS,
				   cell_int(span_ns(before)), before.start_ns, before.end_ns);
	if (x->start.ns)
		find_time(f,
			  x->start.between ? "of which context creation, at most"
					   : "of which context creation",
			  x->start.ns);
	find_time(f, "first to last GPU work", s->window_ns);
	find_time(f, "GPU busy", explain_busiest_ns(x));
	if (span_ns(after))
		find_evidence_over(f, "from the last GPU work to the last CUDA call's end", UNIT_NS,
				   cell_int(span_ns(after)), after.start_ns, after.end_ns);
	if (s->by_threads)
		find_evidence_over(f, "from the first event of its threads to the last", UNIT_NS,
				   cell_int(span_ns(s->run)), s->run.start_ns, s->run.end_ns);
	if (s->rest.has_cpu)
		find_evidence_over(f,
				   s->rest.after ? "on a CPU after the last GPU work"
						 : "on a CPU before the first GPU work",
				   UNIT_NS, cell_int(s->rest.cpu_ns), s->rest.time.start_ns,
				   s->rest.time.end_ns);
	if (meta->has_span && meta->span_ns > s->run.end_ns)
		find_time(f, "from the end of that run to the capture's",
			  sat_sub(meta->span_ns, s->run.end_ns));
}

/* Costs are a share of the run: what takes all of a window that is nothing is nothing. */
static void weigh_by_run(struct explain *x, int64_t run_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < x->found_count; i++) {
		struct finding f = x->found[i];
		const double pct = 100.0 * (double)f.recoverable_ns / (double)run_ns;
		const enum severity s = find_severity(pct);

		/* Who asks for the GPU's part by name wants to know of it. */
		if (f.recoverable_ns > 0 && !find_costs(pct) && x->scope.span != SPAN_GPU)
			continue;
		if (f.recoverable_ns > 0 && s < f.severity)
			f.severity = s;
		x->found[kept++] = f;
	}
	x->found_count = kept;
}

int explain_one_shot(struct explain *x, bool *ret, struct err *e)
{
	struct short_run s = {.by_threads = false};
	struct finding *f;

	*ret = false;
	if (x->scope.chosen != SPAN_GPU || !explain_find_calls(x, &s.calls))
		return 0;
	s.window_ns = sat_sub(x->timeline.last_ns, x->timeline.first_ns);
	if (!is_short(x, &s))
		return 0;
	if (find_run(x, &s, e) < 0 || find_rest(x, &s, e) < 0)
		return -1;
	x->run_ns = span_ns(s.run);
	weigh_by_run(x, x->run_ns);
	f = find_fact(x, "one_shot", SEVERITY_LOW, "%s", describe(x, &s));
	f->leads = true;
	f->how = "not estimated: what the host does before and after is not in the window";
	add_evidence(x, f, &s);
	if (launches_nothing(x))
		find_advice(f, "nothing was computed on the GPU: see what the program itself says, "
			       "and whether it ended early");
	find_advice(f, advice_for(x, &s.rest));
	find_advice(f, arena_printf(&x->report->arena, "gpuwhy %s explains the whole capture",
				    verdict_advised(x, "overview", SPAN_ALL)));
	f->unless = "only the GPU's part was to be looked at";
	*ret = true;
	return 0;
}
