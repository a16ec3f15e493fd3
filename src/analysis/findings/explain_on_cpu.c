/* Is a thread busy on a CPU while the GPU waits for it, or does it wait itself? */
#include "analysis/findings/explain.h"

#include "base/bisect.h"
#include "base/idmap.h"
#include "base/mem.h"
#include "base/saturate.h"

static const double busy = 0.9;	      /* of the time: then it waits for nothing */
static const double noticeable = 0.1; /* of the time */

int explain_read_switches(struct explain *x, struct err *e)
{
	if (x->switches_read)
		return 0;
	x->switches_read = true;
	return cpu_switches_read(x->trace, &x->switches, e);
}

static struct span overlap(struct span a, struct span b)
{
	return (struct span){a.start_ns > b.start_ns ? a.start_ns : b.start_ns,
			     a.end_ns < b.end_ns ? a.end_ns : b.end_ns};
}

/* What a thread does in a time is of the ranges that it is in then. */
void explain_add_to_places(struct explain *x, uint32_t thread, struct span time,
			   enum place_time what)
{
	struct range_cursor at = {0};

	for (int64_t from_ns = time.start_ns; from_ns < time.end_ns;) {
		const uint32_t range = gap_range_at(&x->judge, thread, from_ns, &at);
		const int64_t to_ns = at.to_ns < time.end_ns - 1 ? at.to_ns + 1 : time.end_ns;
		int64_t *ns = x->waits.on_cpu[explain_place(x, explain_folded_range(x, range))].ns;

		ns[what] = sat_add(ns[what], sat_sub(to_ns, from_ns));
		from_ns = to_ns;
	}
}

struct stall_walk {
	struct explain *x;
	bool *seen; /* by thread: it has switches */
};

static void take_stretch(void *ctx, uint64_t key, struct span on_cpu)
{
	struct stall_walk *w = ctx;
	const struct stalls *s = &w->x->stalls;
	const uint32_t thread = idmap_get(&w->x->trace->thread_keys.map, key);

	if (thread == IDMAP_NONE)
		return;
	w->seen[thread] = true;
	for (size_t i = explain_stall_after(w->x, thread, on_cpu.start_ns);
	     i < s->count && s->all[i].thread == thread && s->all[i].start_ns < on_cpu.end_ns; i++)
		explain_add_to_places(
			w->x, thread,
			overlap((struct span){s->all[i].start_ns, s->all[i].end_ns}, on_cpu),
			PLACE_ON_CPU);
}

int explain_stalls_on_cpu(struct explain *x, struct err *e)
{
	struct stall_walk w = {.x = x};

	if (explain_read_switches(x, e) < 0)
		return -1;
	if (!x->switches.count || !x->judge.joined)
		return 0;
	x->waits.on_cpu = mem_zalloc(x->folded_names.count + 1, sizeof(*x->waits.on_cpu));
	w.seen = mem_zalloc(x->trace->thread_keys.count, sizeof(*w.seen));
	cpu_switches_walk(&x->switches, take_stretch, &w);
	for (size_t i = 0; i < x->stalls.count; i++) {
		const struct stall *s = &x->stalls.all[i];

		if (s->thread < x->trace->thread_keys.count && w.seen[s->thread])
			explain_add_to_places(x, s->thread, (struct span){s->start_ns, s->end_ns},
					      PLACE_ALL);
	}
	free(w.seen);
	return 0;
}

/* A rank that waits in MPI spins: that it is on a CPU proves nothing. */
void explain_add_on_cpu(struct explain *x, struct finding *f, const struct time_total *stalls)
{
	const int64_t *ns;
	bool is_busy;

	if (!x->waits.on_cpu || f->owner == OWNER_COMM)
		return;
	ns = x->waits.on_cpu[explain_place(x, stalls->sums->rows[stalls->top[0]].name)].ns;
	if (ns[PLACE_ALL] <= 0)
		return;
	is_busy = is_share(ns[PLACE_ON_CPU], ns[PLACE_ALL], busy);
	/* It waits for most of the time, and nobody knows for what. */
	if (ns[PLACE_ON_CPU] < ns[PLACE_ALL] / 2 && f->confidence == CONFIDENCE_HIGH)
		f->confidence = CONFIDENCE_MEDIUM;
	find_share(f,
		   arena_printf(&x->report->arena, "thread on a CPU %s%s",
				stalls->rows == 1 ? "there" : "in the largest of them",
				is_busy ? ", busy, not waiting" : ""),
		   ns[PLACE_ON_CPU], ns[PLACE_ALL]);
	if (is_share(ns[PLACE_READY], ns[PLACE_ALL], noticeable)) {
		find_share(f, "ready to run there, but others have its CPU", ns[PLACE_READY],
			   ns[PLACE_ALL]);
		explain_advise_descheduled(x, f);
	}
	if (is_busy && stalls->rows == 1)
		f->unless = "the GPU needs what that code computes, and has nothing else to do";
}

struct thread_time {
	uint64_t key;
	struct span time;
	int64_t cpu_ns;
	bool seen;
};

static void take_of_thread(void *ctx, uint64_t key, struct span on_cpu)
{
	struct thread_time *t = ctx;
	struct span part;

	if (key != t->key)
		return;
	t->seen = true;
	part = overlap(t->time, on_cpu);
	if (part.end_ns > part.start_ns)
		t->cpu_ns = sat_add(t->cpu_ns, sat_sub(part.end_ns, part.start_ns));
}

bool explain_thread_on_cpu(const struct explain *x, uint32_t thread, struct span time,
			   int64_t *ret_ns)
{
	struct thread_time t = {.time = time};

	if (thread >= x->trace->thread_keys.count)
		return false;
	t.key = x->trace->thread_keys.keys[thread];
	cpu_switches_walk(&x->switches, take_of_thread, &t);
	*ret_ns = t.cpu_ns;
	return t.seen;
}

struct key_time {
	const struct explain *x;
	uint64_t key;
	int64_t cpu_ns;
};

static void take_in_stalls(void *ctx, uint64_t key, struct span on_cpu)
{
	struct key_time *t = ctx;
	const struct stalls *s = &t->x->stalls;

	if (key != t->key)
		return;
	/* Once for each thread that waits: its stalls lie together. */
	for (size_t i = 0; i < s->count;) {
		const uint32_t thread = s->all[i].thread;

		t->cpu_ns = sat_add(t->cpu_ns, explain_in_stalls(t->x, thread, on_cpu, NULL));
		i = BISECT(i, s->count, at, s->all[at].thread <= thread);
	}
}

int64_t explain_busy_in_stalls(const struct explain *x, uint64_t key)
{
	struct key_time t = {.x = x, .key = key};

	cpu_switches_walk(&x->switches, take_in_stalls, &t);
	return t.cpu_ns;
}
