/* What does the host do in the gaps that wait for its code: sleep, read, wait for a thread? */
#include "analysis/findings/explain.h"

#include "analysis/numbers/summary.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/span.h"

#include <math.h>
#include <stdlib.h>

enum { PERIODS_MIN = 8 }; /* wakes at equal distances: fewer are chance */

static const double most = 0.5;	      /* of the stalls: then that is what they are */
static const double regular = 0.01;   /* more or less than the usual period */
static const double nearly_all = 0.9; /* of the periods */
static const double worth = 0.05;     /* of the window: less, and nobody asks why */

bool explain_stalls_matter(const struct explain *x)
{
	return x->waits.stall_ns > 0 && is_share(x->waits.stall_ns, x->window_ns, worth);
}

bool explain_is_most_of_stalls(const struct explain *x, int64_t ns)
{
	return is_share(ns, x->waits.stall_ns, most);
}

static int compare_stalls(const void *a, const void *b)
{
	const struct stall *s = a, *t = b;

	if (s->thread != t->thread)
		return s->thread < t->thread ? -1 : 1;
	return (s->start_ns > t->start_ns) - (s->start_ns < t->start_ns);
}

void stalls_sort(struct stalls *s)
{
	if (s->count)
		qsort(s->all, s->count, sizeof(*s->all), compare_stalls);
}

/* The device that loses most: what others lose of the same host time is no other time. */
static void keep_worst_device(struct explain *x)
{
	int64_t *ns = mem_zalloc(x->timeline.count + 1, sizeof(*ns));
	uint32_t worst = 0;
	size_t kept = 0;

	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		ns[s->device] = sat_add(ns[s->device], sat_sub(s->end_ns, s->start_ns));
		worst = ns[s->device] > ns[worst] ? s->device : worst;
	}
	for (size_t i = 0; i < x->stalls.count; i++) {
		if (x->stalls.all[i].device == worst)
			x->stalls.all[kept++] = x->stalls.all[i];
	}
	x->stalls.count = kept;
	x->waits.stall_ns = ns[worst];
	free(ns);
	stalls_sort(&x->stalls);
}

size_t explain_stall_after(const struct explain *x, uint32_t thread, int64_t at_ns)
{
	const struct stalls *s = &x->stalls;

	return BISECT(0, s->count, at,
		      s->all[at].thread < thread ||
			      (s->all[at].thread == thread && s->all[at].end_ns <= at_ns));
}

int64_t explain_in_stalls(const struct explain *x, uint32_t thread, struct span time,
			  struct longest_parts *where)
{
	const struct stalls *s = &x->stalls;
	int64_t ns = 0;

	for (size_t i = explain_stall_after(x, thread, time.start_ns);
	     i < s->count && s->all[i].thread == thread && s->all[i].start_ns < time.end_ns; i++) {
		const struct span gap = {s->all[i].start_ns, s->all[i].end_ns};

		ns = sat_add(ns, span_overlap(time, gap));
		if (where)
			longest_parts_add(where, (struct time_part){span_common(time, gap), gap});
	}
	return ns;
}

/* When threads sleep in stalls, in order of time. */
struct sleeps {
	struct span *all;
	size_t count, cap;
};

struct os_reading {
	struct explain *x;
	uint8_t *wait_of_name;
	int64_t *ns_of_name, *file_ns_of_name;
	struct sleeps sleeps;
	struct read_calls reads;
};

static void add_wait(struct os_reading *r, int wait, uint32_t name, int64_t ns)
{
	struct host_waits *w = &r->x->waits;
	int64_t *of_name = wait == OS_FILE ? &r->file_ns_of_name[name] : &r->ns_of_name[name];

	w->ns[wait] = sat_add(w->ns[wait], ns);
	*of_name = sat_add(*of_name, ns);
	if (*of_name > w->function_ns[wait]) {
		w->function_ns[wait] = *of_name;
		w->function[wait] = name;
	}
}

static void add_read(struct os_reading *r, struct read_call call)
{
	call.ns = explain_in_stalls(r->x, call.thread, call.time, NULL);
	if (!call.ns)
		return;
	MEM_GROW(r->reads.all, r->reads.cap, r->reads.count + 1);
	r->reads.all[r->reads.count++] = call;
}

/* When it is known of all of them what they read. */
static void add_reads(struct os_reading *r)
{
	for (size_t i = 0; i < r->reads.count; i++) {
		const struct read_call *call = &r->reads.all[i];
		const int wait = call->is_file ? OS_FILE : OS_INPUT;

		explain_in_stalls(r->x, call->thread, call->time, &r->x->waits.where[wait]);
		add_wait(r, wait, call->name, call->ns);
	}
}

static void add_call(struct os_reading *r, uint64_t row)
{
	struct explain *x = r->x;
	const struct events *ev = &x->trace->events[TRACE_OSRT];
	const uint32_t name = ev->name[row], thread = ev->thread[row];
	const struct span time = {ev->start_ns[row],
				  sat_add(ev->start_ns[row], ev->duration_ns[row])};
	int64_t ns;
	int wait;

	if (name == NAME_NONE || thread == ID_NONE || ev->duration_ns[row] == DURATION_NONE ||
	    ev->duration_ns[row] <= 0 || r->wait_of_name[name] == HOST_WAITS)
		return;
	wait = r->wait_of_name[name];
	if (wait == OS_FILE) {
		add_read(r, (struct read_call){.time = time, .name = name, .thread = thread});
		return;
	}
	ns = explain_in_stalls(x, thread, time, &x->waits.where[wait]);
	if (!ns)
		return;
	add_wait(r, wait, name, ns);
	if (wait != OS_SLEEP || ns < ev->duration_ns[row] / 2)
		return;
	MEM_GROW(r->sleeps.all, r->sleeps.cap, r->sleeps.count + 1);
	r->sleeps.all[r->sleeps.count++] = time;
}

static int compare_spans(const void *a, const void *b)
{
	const struct span *s = a, *t = b;

	return (s->start_ns > t->start_ns) - (s->start_ns < t->start_ns);
}

static int64_t median(int64_t *values, size_t count)
{
	int64_t *scratch = mem_alloc(count, sizeof(*scratch));

	sort_i64(values, scratch, count);
	free(scratch);
	return sat_of_double(quantile(values, count, 0.5));
}

/* How far values are from the usual one, on average. */
static double spread(const int64_t *values, size_t count, int64_t usual)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += fabs((double)values[i] - (double)usual);
	return sum / (double)count;
}

/* What is measured of each sleep, and the next. */
struct rounds {
	int64_t *period_ns, *awake_ns, *asleep_ns;
	size_t count;
};

static struct rounds list_rounds(struct host_waits *w, const struct sleeps *s)
{
	const size_t count = s->count - 1;
	struct rounds r = {mem_alloc(count, sizeof(int64_t)), mem_alloc(count, sizeof(int64_t)),
			   mem_alloc(count, sizeof(int64_t)), count};

	for (size_t i = 0; i < count; i++) {
		const struct span *now = &s->all[i], *next = &s->all[i + 1];

		r.period_ns[i] = sat_sub(next->end_ns, now->end_ns);
		r.awake_ns[i] = sat_sub(next->start_ns, now->end_ns);
		r.asleep_ns[i] = sat_sub(next->end_ns, next->start_ns);
		if (r.awake_ns[i] > w->longest_awake_ns) {
			w->longest_awake_ns = r.awake_ns[i];
			w->longest_at_ns = now->end_ns;
		}
	}
	return r;
}

/*
 * Who wakes at equal distances waits for a time: sleeps are the shorter the more there was to do.
 * Who sleeps for as long each time just sleeps.
 */
static void find_period(struct host_waits *w, const struct sleeps *s)
{
	int64_t usual, usual_awake, usual_asleep;
	struct rounds r;
	size_t alike = 0;

	if (s->count <= PERIODS_MIN)
		return;
	qsort(s->all, s->count, sizeof(*s->all), compare_spans);
	r = list_rounds(w, s);
	usual = median(r.period_ns, r.count);
	usual_awake = median(r.awake_ns, r.count);
	usual_asleep = median(r.asleep_ns, r.count);
	for (size_t i = 0; i < r.count; i++)
		alike += fabs((double)r.period_ns[i] - (double)usual) <= regular * (double)usual;
	if ((double)alike >= nearly_all * (double)r.count &&
	    spread(r.period_ns, r.count, usual) < spread(r.asleep_ns, r.count, usual_asleep)) {
		w->period_ns = usual;
		w->awake_ns = usual_awake;
		w->periods = r.count;
	}
	free(r.period_ns);
	free(r.awake_ns);
	free(r.asleep_ns);
}

static void rank_inputs(struct host_waits *w, const struct os_reading *r, size_t names)
{
	for (size_t i = 0; i < names; i++) {
		struct os_function one = {(uint32_t)i, r->ns_of_name[i]};

		if (r->wait_of_name[i] != OS_INPUT && r->wait_of_name[i] != OS_EVENT &&
		    r->wait_of_name[i] != OS_FILE)
			continue;
		for (size_t at = 0; at < INPUTS; at++) {
			const struct os_function was = w->inputs[at];

			if (one.ns > was.ns) {
				w->inputs[at] = one;
				one = was;
			}
		}
	}
}

/* OS_FILE is for what may be one until all calls have been seen. */
static int wait_of(struct str function)
{
	const enum os_wait wait = os_wait_of(function);

	return may_read_file(function) ? OS_FILE : wait == OS_WAITS ? HOST_WAITS : (int)wait;
}

/* Backtraces are read where it matters. */
static int find_files(struct explain *x, struct read_calls *r, struct err *e)
{
	int64_t ns = 0;

	for (size_t i = 0; i < r->count; i++)
		ns = sat_add(ns, r->all[i].ns);
	return ns && is_share(ns, x->window_ns, worth)
		       ? file_reads_find(x->trace, r, &x->waits.files, e)
		       : 0;
}

static int read_calls(struct explain *x, struct err *e)
{
	struct trace *t = x->trace;
	const struct events *ev = &t->events[TRACE_OSRT];
	struct os_reading r = {.x = x};
	size_t known;
	int result;

	if (trace_load(t, TRACE_OSRT, COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME), e) < 0)
		return -1;
	if (!ev->start_ns || !ev->duration_ns || !ev->thread || !ev->name || !ev->count)
		return 0;
	x->waits.known = true;
	known = t->names.count; /* backtraces bring more */
	r.wait_of_name = mem_alloc(known, sizeof(*r.wait_of_name));
	r.ns_of_name = mem_zalloc(known, sizeof(*r.ns_of_name));
	r.file_ns_of_name = mem_zalloc(known, sizeof(*r.file_ns_of_name));
	for (size_t i = 0; i < known; i++)
		r.wait_of_name[i] = (uint8_t)wait_of(t->names.items[i]);
	for (uint64_t i = 0; i < ev->count; i++)
		add_call(&r, i);
	result = find_files(x, &r.reads, e);
	add_reads(&r);
	find_period(&x->waits, &r.sleeps);
	rank_inputs(&x->waits, &r, known);
	free(r.sleeps.all);
	free(r.wait_of_name);
	free(r.ns_of_name);
	free(r.file_ns_of_name);
	free(r.reads.all);
	return result;
}

int explain_host_waits(struct explain *x, struct err *e)
{
	keep_worst_device(x);
	if (!explain_stalls_matter(x))
		return 0;
	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		x->waits.loads += s->loads;
		x->waits.loads_ns =
			sat_add(x->waits.loads_ns, s->loads ? sat_sub(s->end_ns, s->start_ns) : 0);
	}
	x->waits.named_ns = explain_sum_compiling(x);
	if (read_calls(x, e) < 0 || explain_stalls_on_cpu(x, e) < 0)
		return -1;
	explain_samples(x);
	if (!x->waits.known)
		explain_sampled_waits(x);
	if (explain_find_descheduled(x, e) < 0)
		return -1;
	return explain_is_most_of_stalls(x, x->waits.ns[OS_LOCK])
		       ? explain_waits_for(x, &x->waits.lock, e)
		       : 0;
}

void explain_waits_free(struct host_waits *w)
{
	for (int i = 0; i < HOST_WAITS; i++)
		longest_parts_free(&w->where[i]);
	longest_parts_free(&w->named);
	free(w->places);
	free(w->on_cpu);
}
