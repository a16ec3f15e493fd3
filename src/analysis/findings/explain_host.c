/* What does the host do while the GPU waits for it: sleep, read, compile? */
#include "analysis/findings/code_functions.h"

#include "analysis/numbers/summary.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "base/span.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

enum {
	PERIODS_MIN = 8, /* wakes at equal distances: fewer are chance */
	LOADS_MIN = 3,	 /* modules: one or two are part of starting */
};

static const double most = 0.5;	      /* of the stalls: then that is what they are */
static const double regular = 0.01;   /* more or less than the usual period */
static const double nearly_all = 0.9; /* of the periods */
static const double noticeable = 0.1; /* of the time in such calls: less needs no name */
static const double worth = 0.05;     /* of the window: less, and nobody asks why */

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
	int64_t *ns_of_name;
	struct sleeps sleeps;
};

static void add_call(struct os_reading *r, uint64_t row)
{
	struct explain *x = r->x;
	const struct events *ev = &x->trace->events[TRACE_OSRT];
	const uint32_t name = ev->name[row], thread = ev->thread[row];
	const struct span time = {ev->start_ns[row],
				  sat_add(ev->start_ns[row], ev->duration_ns[row])};
	enum os_wait wait;
	int64_t ns;

	if (name == NAME_NONE || thread == ID_NONE || ev->duration_ns[row] == DURATION_NONE ||
	    ev->duration_ns[row] <= 0 || r->wait_of_name[name] == OS_WAITS)
		return;
	wait = (enum os_wait)r->wait_of_name[name];
	ns = explain_in_stalls(x, thread, time, &x->waits.where[wait]);
	if (!ns)
		return;
	x->waits.ns[wait] = sat_add(x->waits.ns[wait], ns);
	r->ns_of_name[name] = sat_add(r->ns_of_name[name], ns);
	if (r->ns_of_name[name] > x->waits.function_ns[wait]) {
		x->waits.function_ns[wait] = r->ns_of_name[name];
		x->waits.function[wait] = name;
	}
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

		if (r->wait_of_name[i] != OS_INPUT && r->wait_of_name[i] != OS_EVENT)
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

static int read_calls(struct explain *x, struct err *e)
{
	struct trace *t = x->trace;
	const struct events *ev = &t->events[TRACE_OSRT];
	struct os_reading r = {.x = x};

	if (trace_load(t, TRACE_OSRT, COLS_TIMES | COL_BIT(COL_THREAD) | COL_BIT(COL_NAME), e) < 0)
		return -1;
	if (!ev->start_ns || !ev->duration_ns || !ev->thread || !ev->name || !ev->count)
		return 0;
	x->waits.known = true;
	r.wait_of_name = mem_alloc(t->names.count, sizeof(*r.wait_of_name));
	r.ns_of_name = mem_zalloc(t->names.count, sizeof(*r.ns_of_name));
	for (uint32_t i = 0; i < t->names.count; i++)
		r.wait_of_name[i] = (uint8_t)os_wait_of(t->names.items[i]);
	for (uint64_t i = 0; i < ev->count; i++)
		add_call(&r, i);
	find_period(&x->waits, &r.sleeps);
	rank_inputs(&x->waits, &r, t->names.count);
	free(r.sleeps.all);
	free(r.wait_of_name);
	free(r.ns_of_name);
	return 0;
}

/* How much of the stalls lies in ranges about compiling; what is nested is in its outer one. */
static int64_t sum_named(struct explain *x)
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

int explain_host_waits(struct explain *x, struct err *e)
{
	keep_worst_device(x);
	if (!is_share(x->waits.stall_ns, x->window_ns, worth) || x->waits.stall_ns <= 0)
		return 0;
	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		x->waits.loads += s->loads;
		x->waits.loads_ns =
			sat_add(x->waits.loads_ns, s->loads ? sat_sub(s->end_ns, s->start_ns) : 0);
	}
	x->waits.named_ns = sum_named(x);
	if (read_calls(x, e) < 0 || explain_stalls_on_cpu(x, e) < 0)
		return -1;
	explain_samples(x);
	if (!x->waits.known)
		explain_sampled_waits(x);
	if (explain_find_descheduled(x, e) < 0)
		return -1;
	return is_share(x->waits.ns[OS_LOCK], x->waits.stall_ns, most)
		       ? explain_waits_for(x, &x->waits.lock, e)
		       : 0;
}

void explain_waits_free(struct host_waits *w)
{
	for (int i = 0; i < OS_WAITS; i++)
		longest_parts_free(&w->where[i]);
	longest_parts_free(&w->named);
	free(w->places);
	free(w->on_cpu);
}

/* A function of the C library as code. */
static const char *function(struct explain *x, enum os_wait wait)
{
	return find_code(x, trace_name(x->trace, x->waits.function[wait]));
}

/* What counts for such a program: how long a frame takes, from waking up to the next sleep. */
static const char *with_latency(struct explain *x, const char *title)
{
	struct buf b = {0};

	buf_addf(&b, "%s; a frame takes ", title);
	units_add_ns(&b, (double)x->waits.awake_ns);
	buf_adds(&b, ", at most ");
	units_add_ns(&b, (double)x->waits.longest_awake_ns);
	return report_take_text(x->report, &b);
}

/* Where the host is in such calls; without OS calls nobody knows when in the stalls that is. */
static void place_waits(const struct explain *x, struct finding *f, enum os_wait first,
			enum os_wait last)
{
	struct longest_parts all = {0};

	for (int wait = (int)first; wait <= (int)last; wait++)
		longest_parts_add_all(&all, &x->waits.where[wait]);
	if (all.count)
		find_places(f, &all);
	longest_parts_free(&all);
}

static bool find_paced(struct explain *x)
{
	const struct host_waits *w = &x->waits;
	struct finding *f;

	if (!w->period_ns || !is_share(w->ns[OS_SLEEP], w->stall_ns, most))
		return false;
	f = find_fact(x, "paced", SEVERITY_LOW,
		      "Paced by the host: it sleeps until a fixed time (%s), %.1f times a second",
		      function(x, OS_SLEEP), 1e9 / (double)w->period_ns);
	f->leads = true;
	f->bound = with_latency(x, f->title);
	f->how = "nothing to recover: the next frame is not due earlier";
	f->confidence = CONFIDENCE_HIGH;
	find_time(f, "period", w->period_ns);
	find_count(f, "periods", w->periods);
	find_time(f, "time asleep while the GPU is idle", w->ns[OS_SLEEP]);
	find_time(f, "latency of a frame, median", w->awake_ns);
	find_evidence_at(f, "longest latency", w->longest_awake_ns, w->longest_at_ns);
	place_waits(x, f, OS_SLEEP, OS_SLEEP);
	find_advice(f, "what counts is the latency of a frame: from waking up to the result");
	find_advice(f, "if frames come late, look at those with the longest latency");
	f->unless = "the sleep is not intended: then remove it";
	return true;
}

/* "`getc`", or "`getc` (4.65 s) and `read` (1.24 s)": a file that is read is no user that waits. */
static const char *input_functions(struct explain *x, int64_t all_ns)
{
	const struct os_function *first = &x->waits.inputs[0], *second = &x->waits.inputs[1];
	const char *name = find_code(x, trace_name(x->trace, first->name));
	struct buf b = {0};

	if (!is_share(second->ns, all_ns, noticeable) || !second->ns)
		return name;
	buf_addf(&b, "%s (", name);
	units_add_ns(&b, (double)first->ns);
	buf_addf(&b, ") and %s (", find_code(x, trace_name(x->trace, second->name)));
	units_add_ns(&b, (double)second->ns);
	buf_addc(&b, ')');
	name = arena_strdup(&x->report->arena, b.s);
	buf_free(&b);
	return name;
}

static void add_inputs(struct explain *x, struct finding *f, int64_t all_ns)
{
	for (size_t i = 0; i < INPUTS && is_share(x->waits.inputs[i].ns, all_ns, noticeable); i++)
		find_time(f,
			  arena_printf(&x->report->arena, "in %s",
				       find_code(x, trace_name(x->trace, x->waits.inputs[i].name))),
			  x->waits.inputs[i].ns);
}

/* Where the stalls pass: in the program's own code where samples tell it, else in a range. */
static const char *stalls_where(struct explain *x, const struct time_total *stalls)
{
	const char *where = stalls->rows ? explain_code_where(x, stalls) : NULL;

	return where ? where : stalls->rows ? find_where(x, stalls) : "";
}

static void place_input(const struct explain *x, struct finding *f, const struct time_total *stalls)
{
	find_places_of(f, stalls);
	place_waits(x, f, OS_INPUT, OS_EVENT);
}

/* Another process of the capture has something to do before it sends: that can be had back. */
static bool find_sender(struct explain *x, const struct time_total *stalls, int64_t ns)
{
	const char *where;
	struct sender s;
	struct finding *f;

	if (!explain_other_process(x, &s))
		return false;
	where = stalls_where(x, stalls);
	f = find_lost(x, "host_stall", ns,
		      "The GPU waits for data of process %u, which is in %s%s%s", s.pid, s.code,
		      *where ? "; it is awaited" : "", where);
	if (!f)
		return false;
	f->bound = arena_printf(&x->report->arena, "Bound by process %u, which is in %s%s%s", s.pid,
				s.code, *where ? "; its data is awaited" : "", where);
	f->how = "time in calls that wait for input while the GPU is idle";
	find_time(f, "time in such calls while the GPU is idle", ns);
	place_input(x, f, stalls);
	add_inputs(x, f, ns);
	find_time(f,
		  arena_printf(&x->report->arena, "meanwhile process %u is in %s", s.pid, s.code),
		  s.ns);
	explain_code_add(x, f, stalls);
	find_advice(f, "let it work further ahead, or use more such processes (num_workers, "
		       "prefetch_factor), or make that code faster");
	f->unless = "what that process does has nothing to do with the data";
	return true;
}

static bool find_input(struct explain *x, const struct time_total *stalls)
{
	const struct host_waits *w = &x->waits;
	const int64_t ns = sat_add(w->ns[OS_INPUT], w->ns[OS_EVENT]);
	const char *where;
	struct finding *f;

	if (!is_share(ns, w->stall_ns, most))
		return false;
	if (find_sender(x, stalls, ns))
		return true;
	where = stalls->rows ? explain_code_where(x, stalls) : NULL;
	f = find_fact(x, "waiting_for_input", SEVERITY_LOW,
		      "The GPU waits for input: the host is%s%s%s%s", w->known ? " in " : "",
		      w->known ? input_functions(x, ns) : "", w->known && where ? "," : "",
		      where	 ? where
		      : w->known ? ""
				 : " waiting");
	f->leads = true;
	/* Of several GPUs one may work meanwhile. */
	if (x->timeline.count == 1)
		x->input_ns = ns < x->window_ns ? ns : x->window_ns;
	f->how = "not estimated: how soon input comes is not the program's";
	find_time(f, "time in such calls while the GPU is idle", ns);
	place_input(x, f, stalls);
	add_inputs(x, f, ns);
	find_share(f, "of the window", ns, x->window_ns);
	if (stalls->rows)
		explain_code_add(x, f, stalls);
	find_advice(f, "if the input is a file or another process of yours, read ahead in another "
		       "thread; if it is a user or a client, there is nothing to recover");
	f->unless = "the input is always there, and the call is slow for another reason";
	return true;
}

/* Which of the waits that are the host's own has most of the stalls. */
static enum os_wait own_wait(const struct host_waits *w)
{
	static const enum os_wait own[] = {OS_SLEEP, OS_LOCK, OS_WRITE};
	enum os_wait best = OS_SLEEP;

	for (size_t i = 1; i < ARRAY_LEN(own); i++)
		best = w->ns[own[i]] > w->ns[best] ? own[i] : best;
	return best;
}

/* With the function, where that says more. */
static const char *own_wait_words(struct explain *x, enum os_wait wait)
{
	const char *what = wait == OS_SLEEP ? "sleeps" : "writes files";

	if (wait == OS_LOCK && x->waits.lock != WAITS_LOCK)
		return arena_printf(&x->report->arena, "waits for %s",
				    explain_waited_for(x->waits.lock));
	if (wait == OS_LOCK)
		what = "waits for another thread";
	if (!x->waits.function_ns[wait])
		return what;
	return arena_printf(
		&x->report->arena, "%s (%s%s)", what,
		is_share(x->waits.function_ns[wait], x->waits.ns[wait], most) ? "" : "most of all ",
		function(x, wait));
}

static void advise_own_wait(struct explain *x, struct finding *f, enum os_wait wait)
{
	f->unless = "the wait is intended";
	if (wait == OS_SLEEP) {
		find_advice(f, "remove the sleep, or do it in another thread while the GPU works; "
			       "wait for an event instead of polling");
	} else if (wait == OS_WRITE) {
		find_advice(f, "copy what is to be written, and write it in another thread or "
			       "process, or less often");
		f->unless = "the program may not go on before the data is on disk";
	} else if (explain_code_holder(x, f, x->waits.lock)) {
		return;
	} else if (x->waits.lock == WAITS_INTERPRETER) {
		find_advice(f, "no sampled thread runs Python meanwhile: look for threads of "
			       "libraries that call into Python, and capture again without Python "
			       "samples (gpuwhy profile --no-samples), which take the lock, too");
		f->confidence = CONFIDENCE_LOW;
	} else {
		find_advice(f, "find what the other thread does meanwhile: let it be done before, "
			       "or hold the lock for less");
	}
}

/* Asleep for no fixed time, or waiting for another thread: the host's own, and to be had back. */
static bool find_blocked(struct explain *x, const struct time_total *stalls)
{
	const struct host_waits *w = &x->waits;
	const enum os_wait wait = own_wait(w);
	const char *what, *where;
	struct finding *f;

	if (!is_share(w->ns[wait], w->stall_ns, most))
		return false;
	what = own_wait_words(x, wait);
	where = stalls_where(x, stalls);
	f = find_lost(x, "host_stall", w->ns[wait], "The GPU waits while the host %s%s", what,
		      where);
	if (!f)
		return false;
	f->bound = arena_printf(&x->report->arena, "Bound by the host, which %s%s", what, where);
	f->how = "time in such calls while the GPU is idle";
	if (stalls->rows)
		find_gaps(x, f, stalls);
	place_waits(x, f, wait, wait);
	explain_code_add(x, f, stalls);
	find_time(f, "time in such calls while the GPU is idle", w->ns[wait]);
	find_time(f, "idle time in gaps of host code", w->stall_ns);
	advise_own_wait(x, f, wait);
	return true;
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
	find_advice_for(x, f, x->scope.chosen == SPAN_WARM ? new_shapes : compile_once,
			keep_module);
	find_advice_for(x, f, x->scope.chosen == SPAN_WARM ? compile_once : by_number, by_number);
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
	return is_share(x->waits.named_ns, x->waits.stall_ns, most);
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
static bool find_compilation(struct explain *x)
{
	const struct host_waits *w = &x->waits;
	const bool sampled = w->samples >= EXPLAIN_SAMPLES_MIN;
	const bool named = explain_compiles_in_ranges(x);
	const bool seen = sampled && (double)w->compiling >= most * (double)w->samples;
	const bool likely =
		!sampled && w->loads >= LOADS_MIN && is_share(w->loads_ns, w->stall_ns, most);
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

bool explain_waiting(struct explain *x)
{
	const struct host_waits *w = &x->waits;
	struct time_total stalls;
	bool found;

	if (!is_share(w->stall_ns, x->window_ns, worth) || w->stall_ns <= 0)
		return false;
	time_total_of_group(&stalls, &x->sums[SUM_CAUSES], CAUSE_STALL);
	found = find_compilation(x) || find_paced(x) || find_input(x, &stalls) ||
		find_blocked(x, &stalls) ||
		explain_descheduled(x, &stalls, stalls_where(x, &stalls));
	time_total_free(&stalls);
	return found;
}
