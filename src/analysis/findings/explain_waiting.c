/* Does the host wait for what leaves nothing to recover, or for a thread or program of its own? */
#include "analysis/findings/code_functions.h"

#include "base/saturate.h"
#include "text/units.h"

static const double noticeable = 0.1; /* of the time in such calls: less needs no name */
static const double most = 0.5;	      /* of the time in such calls: then it is one function */

/* A function of the C library as code. */
static const char *function(struct explain *x, int wait)
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
static void place_waits(const struct explain *x, struct finding *f, int first, int last)
{
	struct longest_parts all = {0};

	for (int wait = first; wait <= last; wait++)
		longest_parts_add_all(&all, &x->waits.where[wait]);
	if (all.count)
		find_places(f, &all);
	longest_parts_free(&all);
}

static bool find_paced(struct explain *x)
{
	const struct host_waits *w = &x->waits;
	struct finding *f;

	if (!w->period_ns || !explain_is_most_of_stalls(x, w->ns[OS_SLEEP]))
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

/* "`getc`", or "`recv` (4.65 s) and `poll` (1.24 s)". */
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

/* Whether most of the stalls is reading something. */
static bool reads_most(const struct explain *x)
{
	const struct host_waits *w = &x->waits;

	return explain_is_most_of_stalls(
		x, sat_add(w->ns[OS_FILE], sat_add(w->ns[OS_INPUT], w->ns[OS_EVENT])));
}

static bool find_input(struct explain *x, const struct time_total *stalls)
{
	const struct host_waits *w = &x->waits;
	const int64_t ns = sat_add(w->ns[OS_INPUT], w->ns[OS_EVENT]);
	const char *where;
	struct finding *f;

	if (!reads_most(x) || ns < w->ns[OS_FILE])
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
	if (x->timeline.count == 1) {
		x->input_ns = ns < x->window_ns ? ns : x->window_ns;
		x->input_call =
			w->known ? find_code(x, trace_name(x->trace, w->inputs[0].name)) : NULL;
	}
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
static int own_wait(const struct host_waits *w)
{
	static const int own[] = {OS_SLEEP, OS_LOCK, OS_WRITE, OS_FILE};
	int best = OS_SLEEP;

	for (size_t i = 1; i < ARRAY_LEN(own); i++)
		best = w->ns[own[i]] > w->ns[best] ? own[i] : best;
	return best;
}

/* With the function, where that says more. */
static const char *own_wait_words(struct explain *x, int wait)
{
	const char *what = wait == OS_SLEEP  ? "sleeps"
			   : wait == OS_FILE ? "reads files"
					     : "writes files";

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

static void advise_own_wait(struct explain *x, struct finding *f, int wait)
{
	f->unless = "the wait is intended";
	if (wait == OS_SLEEP) {
		find_advice(f, "remove the sleep, or do it in another thread while the GPU works; "
			       "wait for an event instead of polling");
	} else if (wait == OS_FILE) {
		find_advice(f, "read ahead in another thread while the GPU works, or read what "
			       "is needed once: a binary format, larger blocks, a local disk");
		f->unless = x->waits.files.by_length
				    ? "these calls wait for a pipe, a socket or a device: calls of "
				      "one length look like those that read a file"
				    : "the files are read once, and the program runs for long";
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

/* `alone`: most of the stalls are that, and are its gaps. */
static bool find_own_wait(struct explain *x, const struct time_total *stalls, int wait, bool alone)
{
	const struct host_waits *w = &x->waits;
	const char *what = own_wait_words(x, wait), *where = "";
	struct finding *f;

	if (wait == OS_FILE && w->files.function.len)
		where = arena_printf(&x->report->arena, " in %s", find_code(x, w->files.function));
	else if (alone)
		where = stalls_where(x, stalls);
	f = find_lost(x, "host_stall", w->ns[wait], "The GPU waits while the host %s%s", what,
		      where);
	if (!f)
		return false;
	f->bound = arena_printf(&x->report->arena, "Bound by the host, which %s%s", what, where);
	f->how = "time in such calls while the GPU is idle";
	if (wait == OS_FILE && w->files.by_length)
		f->confidence = CONFIDENCE_LOW;
	if (alone && stalls->rows)
		find_gaps(x, f, stalls);
	place_waits(x, f, wait, wait);
	if (alone)
		explain_code_add(x, f, stalls);
	find_time(f, "time in such calls while the GPU is idle", w->ns[wait]);
	if (alone)
		find_time(f, "idle time in gaps of host code", w->stall_ns);
	advise_own_wait(x, f, wait);
	return true;
}

/* Asleep for no fixed time, or waiting for another thread: the host's own, and to be had back. */
static bool find_blocked(struct explain *x, const struct time_total *stalls)
{
	const struct host_waits *w = &x->waits;
	const int wait = own_wait(w);

	return (explain_is_most_of_stalls(x, w->ns[wait]) || (wait == OS_FILE && reads_most(x))) &&
	       find_own_wait(x, stalls, wait, true);
}

/* A user who thinks hides what the program does itself: that is told, too. */
static bool find_input_and_files(struct explain *x, const struct time_total *stalls)
{
	if (!find_input(x, stalls))
		return false;
	find_own_wait(x, stalls, OS_FILE, false);
	return true;
}

bool explain_waiting(struct explain *x)
{
	struct time_total stalls;
	bool found;

	if (!explain_stalls_matter(x))
		return false;
	time_total_of_group(&stalls, &x->sums[SUM_CAUSES], CAUSE_STALL);
	found = explain_compilation(x) || find_paced(x) || find_input_and_files(x, &stalls) ||
		find_blocked(x, &stalls) ||
		explain_descheduled(x, &stalls, stalls_where(x, &stalls));
	time_total_free(&stalls);
	return found;
}
