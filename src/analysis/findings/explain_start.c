/* What does it cost that the driver starts? */
#include "analysis/findings/explain.h"

#include "base/mem.h"
#include "base/saturate.h"
#include "text/units.h"
#include "trace/calls/call_class.h"
#include "trace/system/labels.h"
#include "trace/system/overhead.h"

#include <stdlib.h>

enum {
	NOTICEABLE_NS = 10000000, /* a call that makes a context takes longer */
	BETWEEN_NS = 1000000000,  /* between two calls: what takes longer is other host code, too */
};

static const double worth_telling = 0.01; /* of the time from the first call to the last work */

/* The driver's own functions start with a context, unless they are asked to make one. */
static bool is_of_driver(struct str function)
{
	return function.len > 2 && function.s[0] == 'c' && function.s[1] == 'u' &&
	       function.s[2] >= 'A' && function.s[2] <= 'Z';
}

/* Whether it may be where a context is made; pinning memory takes long by itself. */
static bool may_make_context(struct str function)
{
	bool blocks;
	const enum call_class class = call_class(function, &blocks);

	if (is_of_driver(function))
		return str_holds(function, "CtxCreate") || str_holds(function, "CtxRetain");
	return (class == CALL_ALLOC || class == CALL_OTHER) && !str_holds(function, "Host") &&
	       !str_holds(function, "Async");
}

/* Whether it cannot do without one: the first of these makes it, if nothing before has. */
static bool needs_context(struct str function)
{
	bool blocks;
	const enum call_class class = call_class(function, &blocks);

	return !is_of_driver(function) && (class == CALL_LAUNCH || class == CALL_COPY_SYNC ||
					   class == CALL_COPY_ASYNC || class == CALL_ALLOC);
}

static void keep_earlier(const struct calls *c, size_t call, size_t *first)
{
	if (*first == c->count || c->start_ns[call] < c->start_ns[*first])
		*first = call;
}

/* Of one process, as far as looked: */
struct first_calls {
	size_t makes; /* a noticeable one that may make a context; c->count: none does */
	size_t needs; /* one that needs it */
};

static struct first_calls *find_first_calls(const struct explain *x, const struct calls *c)
{
	const struct trace *t = x->trace;
	struct first_calls *first = mem_alloc(t->process_keys.count, sizeof(*first));

	for (size_t i = 0; i < t->process_keys.count; i++)
		first[i] = (struct first_calls){c->count, c->count};
	for (size_t i = 0; i < c->count; i++) {
		const struct call_origin *o;
		struct str name;
		uint32_t process;

		if (c->start_ns[i] >= x->timeline.first_ns)
			continue;
		o = &c->origins[calls_origin(c, i)];
		process = o->thread < t->thread_keys.count ? trace_thread_process(t, o->thread)
							   : ID_NONE;
		if (process >= t->process_keys.count)
			continue;
		name = trace_name(t, o->name);
		if (calls_duration(c, i) >= NOTICEABLE_NS && may_make_context(name))
			keep_earlier(c, i, &first[process].makes);
		if (needs_context(name))
			keep_earlier(c, i, &first[process].needs);
	}
	return first;
}

/* The call in which a process starts, and how long that takes; 0: it is not in the capture. */
static int64_t find_making(const struct calls *c, const struct first_calls *f, size_t *ret)
{
	const bool by_need =
		f->needs < c->count && calls_duration(c, f->needs) >= NOTICEABLE_NS &&
		(f->makes == c->count || c->start_ns[f->needs] < c->start_ns[f->makes]);

	*ret = by_need ? f->needs : f->makes;
	return *ret < c->count ? calls_duration(c, *ret) : 0;
}

/* Between which calls of its thread a mark lies, if it lies in none. */
static bool find_between(const struct explain *x, const struct context_mark *mark,
			 struct driver_start *ret)
{
	const struct thread_calls *t = &x->judge.threads;
	const struct calls *c = &x->judge.calls;
	size_t near = 0, place;
	struct api_call before;

	if (mark->thread >= t->threads)
		return false;
	place = thread_calls_after(t, mark->thread, mark->at_ns, &near);
	if (place == t->begin[mark->thread] || place == t->begin[mark->thread + 1])
		return false;
	before = calls_at(c, thread_calls_at(t, place - 1));
	*ret = (struct driver_start){.call = thread_calls_at(t, place - 1),
				     .next = thread_calls_at(t, place),
				     .at_ns = api_call_end(&before),
				     .between = true};
	ret->ns = sat_sub(c->start_ns[ret->next], ret->at_ns);
	return ret->at_ns <= mark->at_ns && c->start_ns[ret->next] <= x->timeline.first_ns &&
	       ret->ns >= NOTICEABLE_NS && ret->ns <= BETWEEN_NS;
}

/* A call that is not recorded makes the context: the profiler's mark is all there is of it. */
static int find_untraced(const struct explain *x, const struct first_calls *first,
			 struct driver_start *start, struct err *e)
{
	struct context_mark *marks;
	size_t count;

	if (context_marks_read(x->trace, &marks, &count, e) < 0)
		return -1;
	for (size_t i = 0; i < count; i++) {
		const uint32_t process = trace_thread_process(x->trace, marks[i].thread);
		struct driver_start one;
		size_t call;

		if (process >= x->trace->process_keys.count ||
		    find_making(&x->judge.calls, &first[process], &call) ||
		    !find_between(x, &marks[i], &one))
			continue;
		one.processes = start->processes + 1;
		if (one.ns > start->ns)
			*start = one;
		start->processes = one.processes;
	}
	free(marks);
	return 0;
}

/* Processes start side by side: the longest start is what the run waits for. */
static int find_longest(const struct explain *x, struct driver_start *ret, struct err *e)
{
	const struct calls *c = &x->judge.calls;
	struct first_calls *first = find_first_calls(x, c);
	int result;

	*ret = (struct driver_start){0};
	for (size_t i = 0; i < x->trace->process_keys.count; i++) {
		size_t call;
		const int64_t ns = find_making(c, &first[i], &call);

		ret->processes += ns > 0;
		if (ns > ret->ns) {
			ret->ns = ns;
			ret->call = call;
			ret->at_ns = c->start_ns[call];
		}
	}
	result = find_untraced(x, first, ret, e);
	free(first);
	return result;
}

int explain_find_start(struct explain *x, struct err *e)
{
	/* Where there are warm steps nobody asks about the start. */
	if (!x->judge.joined || x->scope.chosen == SPAN_WARM || x->scope.has_iteration)
		return 0;
	if (find_longest(x, &x->start, e) < 0)
		return -1;
	if (x->start.ns &&
	    !is_share(x->start.ns, sat_sub(x->timeline.last_ns, x->start.at_ns), worth_telling))
		x->start = (struct driver_start){0};
	return 0;
}

static const char *call_name(struct explain *x, size_t call)
{
	const struct calls *c = &x->judge.calls;

	return find_code(x,
			 label_api(trace_name(x->trace, c->origins[calls_origin(c, call)].name)));
}

const char *explain_start_place(struct explain *x)
{
	const struct driver_start *s = &x->start;

	return s->between ? arena_printf(&x->report->arena, "between %s and %s",
					 call_name(x, s->call), call_name(x, s->next))
			  : arena_printf(&x->report->arena, "in %s", call_name(x, s->call));
}

void explain_advise_start(const struct explain *x, struct finding *f)
{
	find_advice(f, "keep the process alive and give it the next job, or let the start overlap "
		       "reading the input: call cudaFree(0) in a thread of its own at first");
	find_advice(
		f, x->on_windows
			   ? "CUDA_VISIBLE_DEVICES with the one GPU that is needed starts only that"
			   : "nvidia-smi -pm 1 (persistence mode) keeps the driver loaded; "
			     "CUDA_VISIBLE_DEVICES with the one GPU that is needed starts only "
			     "that");
	f->unless = "the process runs for long, and its start does not matter";
}

void explain_start(struct explain *x)
{
	const struct driver_start *s = &x->start;
	struct buf cost = {0};
	struct finding *f;

	if (!s->ns || s->told)
		return;
	units_add_ns(&cost, (double)s->ns);
	f = find_fact(x, "context_creation", SEVERITY_INFO,
		      "Context creation takes %s%s: the driver starts %s",
		      s->between ? "up to " : "", cost.s, explain_start_place(x));
	f->how = "a cost of starting: it comes once, before the first GPU work";
	find_evidence_at(f, s->between ? "between these calls" : "the call", s->ns, s->at_ns);
	find_share(f, "of the time from that call to the last GPU work", s->ns,
		   sat_sub(x->timeline.last_ns, s->at_ns));
	if (s->processes > 1)
		find_count(f, "processes that start", s->processes);
	explain_advise_start(x, f);
	buf_free(&cost);
}
