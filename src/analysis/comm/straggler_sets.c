/* Which kernels of different ranks are one collective, who came last to it, and why? */
#include "analysis/comm/straggler_sets.h"

#include "analysis/numbers/cover.h"
#include "analysis/ranks/gpus_by_rank.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Those of a few milliseconds' work. */
enum { SETS_AT_ONCE = 1 << 14 };

/* What the kernels that were matched are. */
enum matched {
	NOT_WANTED,
	APART,	 /* not one collective */
	AT_ONCE, /* one to which nobody came late, as far as the clocks tell */
	LATE,
};

struct maker {
	struct trace *trace;
	const struct scope *p;
	struct collectives *c;
	struct straggler_sets *out;
	uint32_t *member_of_gpu;   /* ID_NONE: it has no kernels that communicate */
	struct cover *comm, *busy; /* by member: when it communicated, and when it did anything */
	uint8_t *matched;	   /* enum matched, by set, those of a class one after another */
	size_t set_count;
	uint32_t *kept;		/* sets that are wanted, and a collective */
	struct member *members; /* by worker and member */
};

static void number_members(struct maker *m, const struct rank_map *ranks)
{
	const struct comm_walk *w = &m->c->walk;
	uint32_t *order = gpus_by_rank(ranks, &w->gpus);

	m->member_of_gpu = mem_alloc(w->gpus.count, sizeof(*m->member_of_gpu));
	m->out->members = mem_zalloc(w->gpus.count, sizeof(*m->out->members));
	for (size_t i = 0; i < w->gpus.count; i++) {
		uint32_t gpu = order[i];

		m->member_of_gpu[gpu] = ID_NONE;
		if (!w->at[gpu].kernels)
			continue;
		m->member_of_gpu[gpu] = (uint32_t)m->out->member_count;
		m->out->members[m->out->member_count++].gpu = gpu;
	}
	free(order);
}

/* Numbers the matched sets of each class, one after another; the rest has no counterpart. */
static void place_sets(struct maker *m)
{
	struct straggler_classes *x = &m->out->classes;

	for (size_t i = 0; i < x->count; i++) {
		x->all[i].first_set = m->set_count;
		m->set_count += x->all[i].matched;
	}
	m->matched = mem_alloc(m->set_count, sizeof(*m->matched));
	for (size_t i = 0; i < x->queue_count; i++) {
		const struct queue *q = &x->queues[i];
		const struct set_class *class = &x->all[q->class];

		*(class->members > 1 ? &m->out->unmatched : &m->out->alone) +=
			q->count - class->matched;
	}
}

/* The set of a number. Returns the kernel that began last; ID_NONE: it is not one collective. */
static uint32_t measure(const struct maker *m, size_t number, struct straggler_set *s)
{
	const struct straggler_classes *x = &m->out->classes;
	const size_t after = BISECT(0, x->count, at, x->all[at].first_set <= number);
	const struct set_class *class = &x->all[after - 1];
	const struct comm_kernel *all = m->c->walk.kernels;
	int64_t first_end_ns = INT64_MAX, before_ns = INT64_MIN;
	uint32_t last = 0;

	*s = (struct straggler_set){.class = (uint32_t)(after - 1),
				    .k = (uint32_t)(number - class->first_set),
				    .first_ns = INT64_MAX,
				    .last = ID_NONE};
	for (size_t i = 0; i < class->members; i++) {
		const struct queue *q = &x->queues[class->first_queue + i];
		uint32_t kernel = queue_kernel(class, q, s->k);
		const struct comm_kernel *k = &all[kernel];

		s->first_ns = k->start_ns < s->first_ns ? k->start_ns : s->first_ns;
		first_end_ns = k->end_ns < first_end_ns ? k->end_ns : first_end_ns;
		/* Of several that began last at once the lowest rank counts. */
		if (s->last == ID_NONE || k->start_ns > s->last_ns ||
		    (k->start_ns == s->last_ns && q->member < s->last)) {
			before_ns = s->last == ID_NONE ? before_ns : s->last_ns;
			s->last_ns = k->start_ns;
			s->last = q->member;
			last = kernel;
		} else if (k->start_ns > before_ns) {
			before_ns = k->start_ns;
		}
	}
	if (first_end_ns < s->last_ns && !set_class_leaves_early(class))
		return ID_NONE;
	s->in_doubt = sat_sub(s->last_ns, before_ns) < m->trace->clock_doubt_ns;
	if (s->last_ns == s->first_ns || s->in_doubt)
		s->last = ID_NONE;
	return last;
}

static bool is_wanted(const struct scope *p, int64_t at_ns)
{
	return !p->has_trim || (at_ns >= p->from_ns && at_ns < p->to_ns);
}

static void match_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct maker *m = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		struct straggler_set s;
		const bool together = measure(m, i, &s) != ID_NONE;

		m->matched[i] = !is_wanted(m->p, s.last_ns) ? NOT_WANTED
				: !together		    ? APART
				: s.last == ID_NONE	    ? AT_ONCE
							    : LATE;
	}
}

/* Returns whether any rank came late to one that is kept. */
static bool keep_wanted(struct maker *m)
{
	struct straggler_sets *out = m->out;
	size_t of[LATE + 1] = {0};

	for (size_t i = 0; i < m->set_count; i++)
		of[m->matched[i]]++;
	out->apart = of[APART];
	m->kept = mem_alloc(of[AT_ONCE] + of[LATE], sizeof(*m->kept));
	for (size_t i = 0; i < m->set_count; i++) {
		if (m->matched[i] >= AT_ONCE)
			m->kept[out->count++] = (uint32_t)i;
	}
	out->sets = mem_alloc(out->count, sizeof(*out->sets));
	return of[LATE] > 0;
}

/* What the last one did since the first one began. */
static void explain(const struct maker *m, uint32_t last, struct straggler_set *s)
{
	struct launch_cursor anywhere = {0};
	int64_t late_ns = s->last_ns - s->first_ns, busy_ns, from;
	struct picked_call call;

	if (!picked_call_of(&m->c->launches, m->c->walk.kernels[last].row, &anywhere, &call) ||
	    call.duration_ns == DURATION_NONE) {
		s->late_ns[LATE_UNKNOWN] = late_ns;
		return;
	}
	from = picked_call_last(&call);
	from = from < s->first_ns ? s->first_ns : from > s->last_ns ? s->last_ns : from;
	busy_ns = cover_between(&m->busy[s->last], from, s->last_ns);
	s->late_ns[LATE_HOST] = from - s->first_ns;
	s->late_ns[LATE_EARLIER] = cover_between(&m->comm[s->last], from, s->last_ns);
	s->late_ns[LATE_COMPUTE] = busy_ns - s->late_ns[LATE_EARLIER];
	s->late_ns[LATE_IDLE] = late_ns - s->late_ns[LATE_HOST] - busy_ns;
}

static void add_to_members(const struct maker *m, struct straggler_set *s, struct member *members)
{
	const struct straggler_classes *x = &m->out->classes;
	const struct set_class *class = &x->all[s->class];

	for (size_t i = 0; i < class->members; i++) {
		const struct queue *q = &x->queues[class->first_queue + i];
		const struct comm_kernel *k = &m->c->walk.kernels[queue_kernel(class, q, s->k)];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		members[q->member].sets++;
		members[q->member].waited_ns =
			sat_add(members[q->member].waited_ns, until - k->start_ns);
		s->wait_ns = sat_add(s->wait_ns, until - k->start_ns);
	}
	if (s->last != ID_NONE) {
		struct member *last = &members[s->last];
		int64_t late_ns = s->last_ns - s->first_ns;

		last->last++;
		last->imposed_ns = sat_add(last->imposed_ns, s->wait_ns);
		last->worst_ns = late_ns > last->worst_ns ? late_ns : last->worst_ns;
		for (int i = 0; i < LATES; i++)
			last->late_ns[i] = sat_add(last->late_ns[i], s->late_ns[i]);
	}
}

static void add_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
	const struct maker *m = ctx;
	struct member *members = m->members + worker * m->out->member_count;

	for (size_t i = begin; i < end; i++) {
		struct straggler_set *s = &m->out->sets[i];
		const uint32_t last = measure(m, m->kept[i], s);

		if (s->last != ID_NONE)
			explain(m, last, s);
		add_to_members(m, s, members);
	}
}

/* Sums do not depend on who added what: they saturate at the same end in any order. */
static void gather_members(const struct maker *m)
{
	const size_t n = m->out->member_count;

	for (size_t i = 0; i < n * parallel_workers(); i++) {
		const struct member *from = &m->members[i];
		struct member *to = &m->out->members[i % n];

		to->sets += from->sets;
		to->last += from->last;
		to->imposed_ns = sat_add(to->imposed_ns, from->imposed_ns);
		to->waited_ns = sat_add(to->waited_ns, from->waited_ns);
		to->worst_ns = from->worst_ns > to->worst_ns ? from->worst_ns : to->worst_ns;
		for (int k = 0; k < LATES; k++)
			to->late_ns[k] = sat_add(to->late_ns[k], from->late_ns[k]);
	}
}

static void add_all(struct maker *m)
{
	struct straggler_sets *out = m->out;

	m->members = mem_zalloc(out->member_count * parallel_workers(), sizeof(*m->members));
	parallel_each(out->count, SETS_AT_ONCE, add_some, m);
	gather_members(m);
	free(m->members);
}

static void cover_comm(struct maker *m)
{
	m->comm = mem_zalloc(m->out->member_count, sizeof(*m->comm));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[i];

		cover_add(&m->comm[m->member_of_gpu[k->gpu]], k->start_ns, k->end_ns);
	}
}

static int cover_work(struct maker *m, struct err *e)
{
	const struct process_gpus *gpus = &m->c->walk.gpus;
	struct process_gpu_cursor at[PROCESS_GPUS_RECENT];
	struct ops o;
	struct op op;

	for (size_t i = 0; i < PROCESS_GPUS_RECENT; i++)
		at[i] = PROCESS_GPU_CURSOR_START;
	m->busy = mem_zalloc(m->out->member_count, sizeof(*m->busy));
	if (ops_open(&o, m->trace, e) < 0)
		return -1;
	while (ops_next(&o, &op)) {
		uint32_t gpu = process_gpus_find(gpus, &at[op.process % PROCESS_GPUS_RECENT],
						 &m->trace->events[op.kind], op.row);
		uint32_t member = gpu == ID_NONE ? ID_NONE : m->member_of_gpu[gpu];

		if (member != ID_NONE)
			cover_add(&m->busy[member], op.start_ns, op.end_ns);
	}
	ops_close(&o);
	return 0;
}

/* Neither needs the other. */
static int cover_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct maker *m = ctx;

	(void)worker;
	for (size_t i = begin; i < end; i++) {
		if (i == 0 && cover_work(m, e) < 0)
			return -1;
		if (i == 1)
			cover_comm(m);
	}
	return 0;
}

/* What tells why a rank came late. */
static int read_reasons(struct maker *m, struct err *e)
{
	if (collectives_find_launches(m->c, m->trace, e) < 0)
		return -1;
	return parallel_for(2, 1, cover_some, m, e);
}

static void free_covers(struct cover *c, size_t count)
{
	for (size_t i = 0; c && i < count; i++)
		cover_free(&c[i]);
	free(c);
}

int straggler_sets_make(struct trace *t, const struct scope *p, struct collectives *c,
			const struct rank_map *ranks, struct straggler_sets *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .c = c, .out = ret};
	int result = 0;

	*ret = (struct straggler_sets){0};
	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0)
		return -1;
	number_members(&m, ranks);
	straggler_classes_make(c, m.member_of_gpu, &ret->classes);
	place_sets(&m);
	parallel_each(m.set_count, SETS_AT_ONCE, match_some, &m);
	if (keep_wanted(&m))
		result = read_reasons(&m, e);
	if (result == 0)
		add_all(&m);
	free_covers(m.comm, ret->member_count);
	free_covers(m.busy, ret->member_count);
	free(m.member_of_gpu);
	free(m.matched);
	free(m.kept);
	return result;
}

void straggler_sets_free(struct straggler_sets *s)
{
	straggler_classes_free(&s->classes);
	free(s->sets);
	free(s->members);
	*s = (struct straggler_sets){0};
}
