/* In which calls did the host wait for the GPU, and for how long? */
#include "analysis/host/waits.h"

#include "analysis/numbers/summary.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/calls/call_class.h"
#include "trace/calls/calls.h"
#include "trace/calls/device_threads.h"

#include <math.h>
#include <stdlib.h>

/* What is known of a call by who made it, and which function it is. */
struct origin_fact {
	enum call_class class;
	bool passes;	   /* its process is asked for */
	bool may_block;	   /* it should return at once, and does unless something holds it up */
	bool blocks;	   /* it returns when the GPU is done */
	uint32_t process;  /* the last one: not known */
	uint32_t function; /* of its process, where it may block; GROUP_NONE: another */
};

struct reader {
	const struct trace *trace;
	const struct scope *p;
	struct calls calls;
	struct device_threads threads; /* of p->device, where it is asked for */
	struct origin_fact *facts;     /* by origin */
	struct idmap functions;	       /* process, name */
	double *own;		       /* by function: the median */
	double *together;	       /* by process, with one more for calls without */
	struct waits *out;
	size_t cap;
};

static uint32_t origin_process(const struct trace *t, const struct call_origin *o)
{
	uint32_t process = o->thread == ID_NONE ? ID_NONE : trace_thread_process(t, o->thread);

	return process == ID_NONE ? (uint32_t)t->process_keys.count : process;
}

static bool passes(const struct reader *r, uint32_t thread, uint32_t process)
{
	if (r->p->has_device && !device_threads_has(&r->threads, thread))
		return false;
	return scope_has_process(r->p, r->trace, process);
}

static struct origin_fact find_fact(struct reader *r, const struct call_classes *classes,
				    const struct call_origin *o)
{
	struct origin_fact f = {
		.class = call_class_of(classes, o->name),
		.blocks = call_blocks(classes, o->name),
		.process = origin_process(r->trace, o),
		.function = GROUP_NONE,
	};

	f.passes = passes(r, o->thread, f.process);
	f.may_block = !f.blocks && (f.class == CALL_LAUNCH || f.class == CALL_COPY_ASYNC ||
				    f.class == CALL_COPY_SYNC);
	if (f.may_block)
		f.function = idmap_number_pair(&r->functions, f.process, o->name);
	return f;
}

static int find_facts(struct reader *r, struct trace *t, struct err *e)
{
	struct call_classes classes;

	if (call_classes_read(t, &classes, e) < 0)
		return -1;
	r->facts = mem_alloc(r->calls.origin_count, sizeof(*r->facts));
	for (size_t i = 0; i < r->calls.origin_count; i++)
		r->facts[i] = find_fact(r, &classes, &r->calls.origins[i]);
	call_classes_free(&classes);
	return 0;
}

/* Functions of a process follow one another: then their values together are the process's. */
static size_t *number_by_process(struct reader *r)
{
	size_t processes = r->trace->process_keys.count + 1, functions = r->functions.count;
	size_t *begin = mem_zalloc(processes + 2, sizeof(*begin)), *next = begin + 1;
	uint32_t *now = mem_alloc(functions, sizeof(*now));

	memset(now, 0xff, functions * sizeof(*now));
	for (size_t i = 0; i < r->calls.origin_count; i++) {
		const struct origin_fact *f = &r->facts[i];

		if (f->may_block && now[f->function] == GROUP_NONE) {
			now[f->function] = 0;
			next[f->process + 1]++;
		}
	}
	for (size_t i = 0; i < processes; i++)
		next[i + 1] += next[i];
	memset(now, 0xff, functions * sizeof(*now));
	for (size_t i = 0; i < r->calls.origin_count; i++) {
		struct origin_fact *f = &r->facts[i];

		if (!f->may_block)
			continue;
		if (now[f->function] == GROUP_NONE)
			now[f->function] = (uint32_t)next[f->process]++;
		f->function = now[f->function];
	}
	free(now);
	return begin; /* filling has moved each process's begin to the place before its own */
}

static void read_calls(const void *ctx, size_t begin, size_t end, struct batch *b)
{
	const struct reader *r = ctx;

	for (size_t i = begin; i < end; i++) {
		const struct origin_fact *f = &r->facts[calls_origin(&r->calls, i)];
		int64_t duration = calls_duration(&r->calls, i);

		b->values[i - begin] = duration;
		b->groups[i - begin] = duration == DURATION_NONE ? GROUP_NONE : f->function;
	}
	b->value = b->values;
	b->group = b->groups;
}

static void find_usual_times(struct reader *r)
{
	size_t processes = r->trace->process_keys.count + 1;
	struct by_group values = {.groups = r->functions.count}, of_processes;
	size_t *first = number_by_process(r);

	by_group_make(&values, 1, read_calls, r, r->calls.count);
	of_processes = values;
	of_processes.groups = processes;
	of_processes.begin = first;
	for (size_t i = 0; i <= processes; i++)
		first[i] = values.begin[first[i]];
	r->together = mem_alloc(processes, sizeof(*r->together));
	medians_by_group(&of_processes, r->together);
	r->own = mem_alloc(r->functions.count, sizeof(*r->own));
	medians_by_group(&values, r->own);
	by_group_free(&values);
	free(first);
}

/*
 * Copies of pageable memory are slow each time, and so is their own median. Graph launches are
 * slow by nature: launches are compared with their own kind only.
 */
static int64_t usual_time(const struct reader *r, const struct origin_fact *f)
{
	double own = r->own[f->function], usual = own;

	if (f->class != CALL_LAUNCH)
		usual = fmin(own, r->together[f->process]);
	return usual <= 0 ? 0 : usual < (double)INT64_MAX ? (int64_t)usual : INT64_MAX;
}

/* What of a call is a wait: false when nothing is. */
static bool wait_of(const struct reader *r, const struct api_call *call, struct wait *ret)
{
	const struct origin_fact *f = &r->facts[call->origin];
	const struct call_origin *o = &r->calls.origins[call->origin];
	int64_t start = call->start_ns, duration = call->duration_ns;

	*ret = (struct wait){start, api_call_end(call), 0, o->thread, o->name, WAIT_BLOCKING};
	if (f->may_block) {
		int64_t usual = usual_time(r, f);

		if (duration < IMPLICIT_LEAST_NS || duration / IMPLICIT_FACTOR < usual)
			return false;
		ret->kind = WAIT_IMPLICIT;
		start = sat_add(start, usual);
		duration = sat_sub(duration, usual);
	} else if (f->class == CALL_WAIT_FREE) {
		ret->kind = WAIT_NONE;
	}
	return window_clip(r->p, start, duration, &ret->waited_ns);
}

/* Most calls are told by a glance to be none. */
static bool may_be_wait(const struct reader *r, size_t call)
{
	const struct origin_fact *f = &r->facts[calls_origin(&r->calls, call)];

	if (f->may_block)
		return r->calls.length[call] >= IMPLICIT_LEAST_NS;
	return f->blocks || f->class == CALL_WAIT_FREE || r->calls.length[call] == LENGTH_NONE;
}

static void collect(struct reader *r)
{
	struct waits *out = r->out;

	for (size_t i = 0; i < r->calls.count; i++) {
		const struct origin_fact *f = &r->facts[calls_origin(&r->calls, i)];
		struct api_call call;
		struct wait w;

		if (!f->passes || !may_be_wait(r, i))
			continue;
		call = calls_at(&r->calls, i);
		if (call.duration_ns == DURATION_NONE) {
			out->without_times++;
		} else if (wait_of(r, &call, &w)) {
			MEM_GROW(out->items, r->cap, out->count + 1);
			out->items[out->count++] = w;
		}
	}
}

/* Outer calls come before those inside. */
static int compare_waits(const void *a, const void *b, void *ctx)
{
	const struct wait *x = a, *y = b;

	(void)ctx;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end_ns < y->end_ns) - (x->end_ns > y->end_ns);
}

/*
 * Drops calls within another of their thread, in order of time; ends[] is scratch by thread.
 * Without `dropping` it only looks whether two overlap or are out of order.
 */
static bool drop_nested(struct waits *w, int64_t *ends, size_t threads, bool dropping)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads; i++)
		ends[i] = INT64_MIN;
	for (size_t i = 0; i < w->count; i++) {
		const struct wait *x = &w->items[i];
		bool known = x->thread != ID_NONE;
		bool overlaps = known && x->start_ns < ends[x->thread];

		if (overlaps && !dropping)
			return true;
		if (overlaps && x->end_ns <= ends[x->thread])
			continue;
		if (known)
			ends[x->thread] = x->end_ns;
		w->items[kept++] = *x;
	}
	w->nested = w->count - kept;
	w->count = kept;
	return false;
}

/* Some exports hold a call twice, the second record within the first: it is one wait. */
static void count_once(const struct trace *t, struct waits *w)
{
	int64_t *ends = mem_alloc(t->thread_keys.count, sizeof(*ends));

	if (drop_nested(w, ends, t->thread_keys.count, false)) {
		sort_stable(w->items, w->count, sizeof(*w->items), compare_waits, NULL);
		drop_nested(w, ends, t->thread_keys.count, true);
	}
	free(ends);
}

int waits_read(struct trace *t, const struct scope *p, struct waits *ret, struct err *e)
{
	const uint32_t columns = COLS_TIMES | COL_BIT(COL_NAME) |
				 (p->has_pid || p->has_device ? COL_BIT(COL_THREAD) : 0);
	struct reader r = {.trace = t, .p = p, .out = ret};
	int result;

	*ret = (struct waits){0};
	if (trace_require_columns(t, TRACE_API, columns, e) < 0 || calls_read(t, &r.calls, e) < 0)
		return -1;
	ret->has_threads = r.calls.has_threads;
	result = p->has_device ? device_threads_read(t, p->device, &r.threads, e) : 0;
	if (result == 0)
		result = find_facts(&r, t, e);
	if (result == 0) {
		find_usual_times(&r);
		collect(&r);
		count_once(t, ret);
	}
	device_threads_free(&r.threads);
	calls_free(&r.calls);
	idmap_free(&r.functions);
	free(r.facts);
	free(r.own);
	free(r.together);
	return result;
}

void waits_free(struct waits *w)
{
	free(w->items);
	*w = (struct waits){0};
}
