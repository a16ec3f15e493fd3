/* In which calls did the host wait for the GPU, and for how long? */
#include "analysis/waits.h"

#include "analysis/summary.h"
#include "analysis/window.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "trace/call_class.h"

#include <math.h>
#include <stdlib.h>

struct reader {
	const struct trace *trace;
	const struct events *ev;
	const struct params *p;
	struct call_classes classes;
	uint32_t *process_of_thread;
	uint32_t *function; /* by row: a process's function that may block; GROUP_NONE: another */
	struct idmap functions;	  /* process, name */
	struct summary *own;	  /* by function */
	struct summary *together; /* by process, with one more for rows without */
	struct waits *out;
	size_t cap;
};

static uint32_t row_thread(const struct reader *r, uint64_t row)
{
	return r->ev->thread ? r->ev->thread[row] : ID_NONE;
}

static uint32_t row_process(const struct reader *r, uint64_t row)
{
	uint32_t thread = row_thread(r, row);

	return thread == ID_NONE ? ID_NONE : r->process_of_thread[thread];
}

static bool passes(const struct reader *r, uint64_t row)
{
	uint32_t process;

	if (!r->p->has_pid)
		return true;
	process = row_process(r, row);
	return process != ID_NONE && process_pid(r->trace->process_keys.keys[process]) == r->p->pid;
}

static bool may_block(const struct reader *r, uint32_t name)
{
	enum call_class class = call_class_of(&r->classes, name);

	return (class == CALL_LAUNCH || class == CALL_COPY_ASYNC || class == CALL_COPY_SYNC) &&
	       !call_blocks(&r->classes, name);
}

static struct summary *summarize_by(const struct reader *r, const uint32_t *group, size_t groups)
{
	struct summary *sums = mem_alloc(groups, sizeof(*sums));

	summarize(r->ev->duration_ns, group, r->ev->count, groups, sums);
	return sums;
}

static uint32_t process_or_last(const struct reader *r, uint64_t row)
{
	uint32_t process = row_process(r, row);

	return process == ID_NONE ? (uint32_t)r->trace->process_keys.count : process;
}

static void find_usual_times(struct reader *r)
{
	const struct events *ev = r->ev;

	/* The array holds processes first, then functions: millions of rows, so there is one. */
	r->function = mem_alloc(ev->count, sizeof(*r->function));
	for (uint64_t i = 0; i < ev->count; i++) {
		bool counts = ev->duration_ns[i] != DURATION_NONE && may_block(r, ev->name[i]);

		r->function[i] = counts ? process_or_last(r, i) : GROUP_NONE;
	}
	r->together = summarize_by(r, r->function, r->trace->process_keys.count + 1);
	for (uint64_t i = 0; i < ev->count; i++) {
		if (r->function[i] != GROUP_NONE)
			r->function[i] =
				idmap_number_pair(&r->functions, r->function[i], ev->name[i]);
	}
	r->own = summarize_by(r, r->function, r->functions.count);
}

/*
 * Copies of pageable memory are slow each time, and so is their own median. Graph launches are
 * slow by nature: launches are compared with their own kind only.
 */
static int64_t usual_time(const struct reader *r, uint64_t row)
{
	double own = r->own[r->function[row]].p50, usual = own;

	if (call_class_of(&r->classes, r->ev->name[row]) != CALL_LAUNCH)
		usual = fmin(own, r->together[process_or_last(r, row)].p50);
	return usual <= 0 ? 0 : usual < (double)INT64_MAX ? (int64_t)usual : INT64_MAX;
}

/* What of a call is a wait: false when nothing is. */
static bool wait_of(const struct reader *r, uint64_t row, struct wait *ret)
{
	const struct events *ev = r->ev;
	int64_t start = ev->start_ns[row], duration = ev->duration_ns[row];
	uint32_t name = ev->name[row];

	*ret = (struct wait){start,	   sat_add(start, duration), 0, row_thread(r, row), name,
			     WAIT_BLOCKING};
	if (r->function[row] != GROUP_NONE) {
		int64_t usual = usual_time(r, row);

		if (duration < IMPLICIT_LEAST_NS || duration / IMPLICIT_FACTOR < usual)
			return false;
		ret->kind = WAIT_IMPLICIT;
		start = sat_add(start, usual);
		duration = sat_sub(duration, usual);
	} else if (call_class_of(&r->classes, name) == CALL_WAIT_FREE) {
		ret->kind = WAIT_NONE;
	} else if (!call_blocks(&r->classes, name)) {
		return false;
	}
	return window_clip(r->p, start, duration, &ret->waited_ns);
}

static void collect(struct reader *r)
{
	struct waits *out = r->out;

	for (uint64_t i = 0; i < r->ev->count; i++) {
		struct wait w;

		if (!passes(r, i))
			continue;
		if (r->ev->duration_ns[i] == DURATION_NONE) {
			out->without_times++;
		} else if (wait_of(r, i, &w)) {
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

static int load(struct trace *t, const struct params *p, struct err *e)
{
	const uint32_t columns = COL_BIT(COL_START) | COL_BIT(COL_DURATION) | COL_BIT(COL_NAME) |
				 COL_BIT(COL_THREAD);

	if (trace_load(t, TRACE_API, columns, e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_NAME, e) < 0 ||
	    trace_require_column(t, TRACE_API, COL_DURATION, e) < 0)
		return -1;
	return p->has_pid ? trace_require_column(t, TRACE_API, COL_THREAD, e) : 0;
}

int waits_read(struct trace *t, const struct params *p, struct waits *ret, struct err *e)
{
	struct reader r = {.trace = t, .ev = &t->events[TRACE_API], .p = p, .out = ret};

	*ret = (struct waits){0};
	if (load(t, p, e) < 0 || call_classes_read(t, &r.classes, e) < 0)
		return -1;
	r.process_of_thread = mem_alloc(t->thread_keys.count, sizeof(*r.process_of_thread));
	for (size_t i = 0; i < t->thread_keys.count; i++)
		r.process_of_thread[i] = trace_thread_process(t, (uint32_t)i);
	find_usual_times(&r);
	collect(&r);
	count_once(t, ret);
	ret->has_threads = r.ev->thread != NULL;
	call_classes_free(&r.classes);
	idmap_free(&r.functions);
	free(r.process_of_thread);
	free(r.function);
	free(r.own);
	free(r.together);
	return 0;
}

void waits_free(struct waits *w)
{
	free(w->items);
	*w = (struct waits){0};
}
