/* Is a launching thread ready to run, but off its CPU because something else runs there? */
#include "analysis/findings/explain.h"

#include "analysis/numbers/owned_spans.h"
#include "base/bisect.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <stdlib.h>

static const double most = 0.5;		/* of the stalls: then that is what they are */
static const double one_alone = 0.8;	/* of what others had: the rest is not worth naming */
static const double nearly_all = 0.9;	/* of the time off the CPU: others had it all the while */
static const double worth_a_word = 0.1; /* of the time: who has less needs no name */

/* What the system says of a thread that it switches out. */
enum leaving { LEAVES_READY, LEAVES_BLOCKED, LEAVES_UNKNOWN };

/* ENUM_SAMPLING_THREAD_STATE: who is switched out as one that runs has been preempted. */
static enum leaving leaving_of_state(int64_t state)
{
	switch (state) {
	case 1: /* Running */
		return LEAVES_READY;
	case 2: /* Interruptible */
	case 3: /* Uninterruptible */
	case 4: /* Stopped */
	case 5: /* Terminated */
	case 7: /* Waiting */
		return LEAVES_BLOCKED;
	default:
		return LEAVES_UNKNOWN;
	}
}

/* ENUM_SCHEDULING_THREAD_BLOCK: Windows has reasons for those who could go on. */
static enum leaving leaving_of_block(int64_t block)
{
	switch (block) {
	case CPU_NO_NUMBER:
	case 0: /* NonBlocked */
	case 1: /* Unknown */
		return LEAVES_UNKNOWN;
	case 36: /* CPURateControl */
	case 42: /* QuantumEnd */
	case 43: /* DispatchInt */
	case 44: /* Preempted */
	case 49: /* ReadyToRun */
	case 51: /* DeferredPreempt */
		return LEAVES_READY;
	default:
		return LEAVES_BLOCKED;
	}
}

/* A stretch of a thread off a CPU, or on it. */
struct stretch {
	int64_t cpu;
	struct span time;
	uint64_t key;
	enum leaving leaving;
};

struct stretches {
	struct stretch *all;
	size_t count, cap;
};

static void add_stretch(struct stretches *s, struct stretch one)
{
	if (one.time.end_ns <= one.time.start_ns || one.cpu == CPU_NO_NUMBER)
		return;
	MEM_GROW(s->all, s->cap, s->count + 1);
	s->all[s->count++] = one;
}

/* Of each switch, beside x->switches: rows that cannot be read are left out of all alike. */
struct switches {
	const struct cpu_events *in;
	struct cpu_events cpu, state, block; /* without rows: the export has no such column */
};

static int64_t number_at(const struct cpu_events *c, size_t row)
{
	return row < c->count ? c->number[row] : CPU_NO_NUMBER;
}

static enum leaving leaving_at(const struct switches *s, size_t row)
{
	const enum leaving state = leaving_of_state(number_at(&s->state, row));

	return state == LEAVES_UNKNOWN ? leaving_of_block(number_at(&s->block, row)) : state;
}

struct whereabouts {
	struct stretches off, on; /* off: of launching threads alone */
};

/* From one switch of a thread to its next: on that CPU, or off the one that it leaves. */
static void take_pair(struct whereabouts *w, const struct explain *x, const struct switches *s,
		      size_t from, size_t to)
{
	const struct cpu_events *in = s->in;
	const struct stretch one = {number_at(&s->cpu, from),
				    {in->start_ns[from], in->start_ns[to]},
				    in->thread[from],
				    leaving_at(s, from)};
	const uint32_t thread = idmap_get(&x->trace->thread_keys.map, one.key);

	if (in->number[from])
		add_stretch(&w->on, one);
	else if (thread != IDMAP_NONE && explain_in_stalls(x, thread, one.time, NULL))
		add_stretch(&w->off, one);
}

static void pair_switches(struct whereabouts *w, const struct explain *x, const struct switches *s)
{
	uint32_t *order = sort_new_order(s->in->start_ns, s->in->count);
	struct idmap threads = {0};
	size_t *last = mem_alloc(s->in->count, sizeof(*last)); /* by thread: its switch before */

	for (size_t i = 0; i < s->in->count; i++) {
		const size_t row = order[i], known = threads.count;
		const uint32_t number =
			idmap_add(&threads, s->in->thread[row], (uint32_t)threads.count);

		if (number < known)
			take_pair(w, x, s, last[number], row);
		last[number] = row;
	}
	idmap_free(&threads);
	free(last);
	free(order);
}

static int compare_stretches(const void *a, const void *b)
{
	const struct stretch *s = a, *t = b;

	if (s->cpu != t->cpu)
		return s->cpu < t->cpu ? -1 : 1;
	if (s->time.start_ns != t->time.start_ns)
		return s->time.start_ns < t->time.start_ns ? -1 : 1;
	return (s->key > t->key) - (s->key < t->key);
}

static int find_whereabouts(struct explain *x, struct whereabouts *ret, struct err *e)
{
	static const char table[] = "SCHED_EVENTS";
	struct switches s = {.in = &x->switches};
	int result = 0;

	*ret = (struct whereabouts){0};
	if (cpu_events_read(x->trace, table, "cpu", &s.cpu, e) < 0 ||
	    cpu_events_read(x->trace, table, "threadState", &s.state, e) < 0 ||
	    cpu_events_read(x->trace, table, "threadBlock", &s.block, e) < 0)
		result = -1;
	else
		pair_switches(ret, x, &s);
	if (ret->on.count)
		qsort(ret->on.all, ret->on.count, sizeof(*ret->on.all), compare_stretches);
	cpu_events_free(&s.cpu);
	cpu_events_free(&s.state);
	cpu_events_free(&s.block);
	return result;
}

/* OS calls of launching threads; whatever they do, a thread may wait there. */
static struct owned_spans list_calls(const struct explain *x)
{
	const struct events *ev = &x->trace->events[TRACE_OSRT];
	struct owned_spans c = {0};

	for (uint64_t i = 0; x->waits.known && i < ev->count; i++) {
		const struct span time = {ev->start_ns[i],
					  sat_add(ev->start_ns[i], ev->duration_ns[i])};

		if (ev->thread[i] == ID_NONE || ev->duration_ns[i] <= 0 ||
		    !explain_in_stalls(x, ev->thread[i], time, NULL))
			continue;
		owned_spans_add(&c, ev->thread[i], time);
	}
	owned_spans_join(&c);
	return c;
}

struct taking {
	struct explain *x;
	struct whereabouts at;
	struct owned_spans calls;
	struct idmap rivals; /* globalTid → index into ns */
	uint64_t *keys;
	int64_t *ns;
	bool *same; /* of the process that it keeps off */
	size_t cap, ns_cap, same_cap;
};

static void add_rival(struct taking *t, uint64_t key, uint64_t off, int64_t ns)
{
	const size_t known = t->rivals.count;
	const uint32_t number = idmap_add(&t->rivals, key, (uint32_t)known);

	if (number == known) {
		MEM_GROW(t->keys, t->cap, known + 1);
		MEM_GROW(t->ns, t->ns_cap, known + 1);
		MEM_GROW(t->same, t->same_cap, known + 1);
		t->keys[number] = key;
		t->ns[number] = 0;
		t->same[number] = key >> 24 == off >> 24;
	}
	t->ns[number] = sat_add(t->ns[number], ns);
}

/* How much of a time others were on that CPU; noted, they are counted as well. */
static int64_t others_on(struct taking *t, const struct stretch *off, bool note)
{
	const struct stretches *on = &t->at.on;
	int64_t reached_ns = off->time.start_ns, ns = 0;
	size_t i = BISECT(0, on->count, at,
			  on->all[at].cpu < off->cpu ||
				  (on->all[at].cpu == off->cpu &&
				   on->all[at].time.start_ns < off->time.start_ns));

	/* Who came just before may be there still. */
	for (i -= i > 0; i < on->count && on->all[i].cpu <= off->cpu; i++) {
		const struct stretch *other = &on->all[i];
		struct span part = other->time;
		int64_t more_ns;

		if (other->cpu < off->cpu)
			continue;
		if (part.start_ns >= off->time.end_ns)
			break;
		if (other->key == off->key)
			continue;
		part.end_ns = part.end_ns < off->time.end_ns ? part.end_ns : off->time.end_ns;
		more_ns = span_beyond(part, &reached_ns);
		ns = sat_add(ns, more_ns);
		if (note && more_ns)
			add_rival(t, other->key, off->key, more_ns);
	}
	return ns;
}

/* The state says so; or it is in no OS call, and others of the capture have its CPU meanwhile. */
static bool is_descheduled(struct taking *t, const struct stretch *off, uint32_t thread)
{
	if (off->leaving != LEAVES_UNKNOWN)
		return off->leaving == LEAVES_READY;
	return t->x->waits.known && !owned_spans_overlap(&t->calls, thread, off->time) &&
	       is_share(others_on(t, off, false), sat_sub(off->time.end_ns, off->time.start_ns),
			nearly_all);
}

/* The part of it in a stall. */
static void take_part(struct taking *t, const struct stretch *off, uint32_t thread)
{
	struct descheduled *d = &t->x->waits.descheduled;
	const int64_t ns = sat_sub(off->time.end_ns, off->time.start_ns);

	if (off->leaving == LEAVES_READY)
		d->sure_ns = sat_add(d->sure_ns, ns);
	d->ns = sat_add(d->ns, ns);
	d->others_ns = sat_add(d->others_ns, others_on(t, off, true));
	explain_add_to_places(t->x, thread, off->time, PLACE_READY);
}

static void take_off(struct taking *t, const struct stretch *off)
{
	const struct stalls *s = &t->x->stalls;
	const uint32_t thread = idmap_get(&t->x->trace->thread_keys.map, off->key);

	if (!is_descheduled(t, off, thread))
		return;
	for (size_t i = explain_stall_after(t->x, thread, off->time.start_ns);
	     i < s->count && s->all[i].thread == thread && s->all[i].start_ns < off->time.end_ns;
	     i++) {
		struct stretch part = *off;

		if (part.time.start_ns < s->all[i].start_ns)
			part.time.start_ns = s->all[i].start_ns;
		if (part.time.end_ns > s->all[i].end_ns)
			part.time.end_ns = s->all[i].end_ns;
		take_part(t, &part, thread);
	}
}

static void rank_rivals(const struct taking *t, struct descheduled *d)
{
	d->rival_count = t->rivals.count;
	for (size_t i = 0; i < t->rivals.count; i++) {
		struct rival one = {t->keys[i], t->ns[i], t->same[i]};

		for (size_t at = 0; at < RIVALS; at++) {
			const struct rival was = d->rivals[at];

			if (one.ns > was.ns) {
				d->rivals[at] = one;
				one = was;
			}
		}
	}
}

/* Who is on a CPU all the time needs no closer look: there may be millions of switches. */
static bool are_off_cpu(const struct explain *x)
{
	int64_t all_ns = 0, on_ns = 0;

	for (size_t i = 0; x->waits.on_cpu && i <= x->folded_names.count; i++) {
		all_ns = sat_add(all_ns, x->waits.on_cpu[i].ns[PLACE_ALL]);
		on_ns = sat_add(on_ns, x->waits.on_cpu[i].ns[PLACE_ON_CPU]);
	}
	return all_ns > 0 && is_share(sat_sub(all_ns, on_ns), all_ns, worth_a_word);
}

int explain_find_descheduled(struct explain *x, struct err *e)
{
	struct taking t = {.x = x};
	int result = 0;

	if (!are_off_cpu(x))
		return 0;
	if (find_whereabouts(x, &t.at, e) < 0) {
		result = -1;
	} else if (t.at.off.count) {
		t.calls = list_calls(x);
		for (size_t i = 0; i < t.at.off.count; i++)
			take_off(&t, &t.at.off.all[i]);
		rank_rivals(&t, &x->waits.descheduled);
	}
	free(t.at.off.all);
	free(t.at.on.all);
	owned_spans_free(&t.calls);
	idmap_free(&t.rivals);
	free(t.keys);
	free(t.same);
	free(t.ns);
	return result;
}

static const char *rival_words(struct explain *x, const struct rival *r)
{
	return r->same_process
		       ? arena_printf(&x->report->arena, "thread %u", thread_tid(r->key))
		       : arena_printf(&x->report->arena, "process %u", process_pid(r->key >> 24));
}

/* "thread 12 keeps", "5 other threads keep"; nobody of the capture: it is somebody else. */
static const char *who_keeps(struct explain *x)
{
	const struct descheduled *d = &x->waits.descheduled;
	bool same_process = false;

	if (!is_share(d->others_ns, d->ns, most))
		return "another process, or a limit of its CPU time, keeps";
	if (is_share(d->rivals[0].ns, d->others_ns, one_alone))
		return arena_printf(&x->report->arena, "%s keeps", rival_words(x, &d->rivals[0]));
	for (size_t i = 0; i < RIVALS && d->rivals[i].ns; i++)
		same_process |= d->rivals[i].same_process;
	return arena_printf(&x->report->arena, "%zu %s keep", d->rival_count,
			    same_process ? "other threads" : "threads of other processes");
}

static void add_rivals(struct explain *x, struct finding *f)
{
	const struct descheduled *d = &x->waits.descheduled;

	for (size_t i = 0; i < RIVALS && d->rivals[i].ns; i++) {
		const char *code = explain_code_meanwhile(x, d->rivals[i].key);

		if (!is_share(d->rivals[i].ns, d->ns, worth_a_word))
			break;
		find_time(f,
			  arena_printf(&x->report->arena, "meanwhile %s has that CPU%s%s",
				       rival_words(x, &d->rivals[i]), code ? ", in " : "",
				       code ? code : ""),
			  d->rivals[i].ns);
	}
	if (d->rival_count > 1)
		find_count(f, "threads that run there meanwhile", d->rival_count);
	if (is_share(sat_sub(d->ns, d->others_ns), d->ns, worth_a_word))
		find_time(f, "meanwhile no captured thread has that CPU: another process",
			  sat_sub(d->ns, d->others_ns));
}

void explain_advise_descheduled(const struct explain *x, struct finding *f)
{
	const struct descheduled *d = &x->waits.descheduled;

	if (!is_share(d->others_ns, d->ns, most))
		find_advice(f, "see what else runs on the machine (top, pidstat -w): move it to "
			       "other cores, or lower its priority (nice)");
	else if (d->rivals[0].same_process)
		find_advice_for(x, f,
				"run fewer busy threads: OMP_NUM_THREADS, torch.set_num_threads, "
				"fewer threads of your own",
				"run fewer busy threads: OMP_NUM_THREADS, fewer threads of your "
				"own");
	else
		find_advice(f, "run fewer worker processes (num_workers), or lower their priority "
			       "(nice)");
	find_advice(f, "give the process more cores: look at its limits (taskset, the container's "
		       "cpus, the batch system's --cpus-per-task), or pin the launching thread to "
		       "a core that nothing else uses");
}

bool explain_descheduled(struct explain *x, const struct time_total *stalls, const char *where)
{
	const struct descheduled *d = &x->waits.descheduled;
	const bool sure = is_share(d->sure_ns, d->ns, nearly_all);
	const char *who;
	struct finding *f;

	if (!d->ns || !is_share(d->ns, x->waits.stall_ns, most))
		return false;
	who = who_keeps(x);
	f = find_lost(x, "host_stall", d->ns,
		      "The GPU waits while %s the launching thread off its CPU%s", who, where);
	if (!f)
		return false;
	x->waits.kept_off = true;
	f->owner = OWNER_INFRASTRUCTURE;
	f->bound = arena_printf(&x->report->arena,
				"Bound by the CPU: %s the launching thread off it%s", who, where);
	f->how = "time that the launching thread is off its CPU, though it waits for nothing that "
		 "is recorded, while the GPU is idle";
	f->confidence = sure ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM;
	find_time(f,
		  sure ? "off its CPU, ready to run, while the GPU is idle"
		       : "off its CPU, in no OS call, while the GPU is idle",
		  d->ns);
	add_rivals(x, f);
	find_time(f, "idle time in gaps of host code", x->waits.stall_ns);
	if (stalls->rows)
		find_gaps(x, f, stalls);
	explain_code_add(x, f, stalls);
	explain_advise_descheduled(x, f);
	f->unless = sure ? "on a CPU of its own the thread would wait for something else"
			 : "the thread waits in a way that is not recorded: its state is not, it "
			   "is only in no OS call while others run on the CPU that it left";
	return true;
}
