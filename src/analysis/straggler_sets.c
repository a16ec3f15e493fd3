/* Which kernels of different ranks are one collective, who came last to it, and why? */
#include "analysis/straggler_sets.h"

#include "analysis/cover.h"
#include "analysis/rank_places.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdlib.h>

/* Those of a few milliseconds' work. */
enum { SETS_AT_ONCE = 1 << 14 };

struct maker {
	struct trace *trace;
	const struct params *p;
	const struct collectives *c;
	struct straggler_sets *out;
	uint32_t *member_of_place; /* ID_NONE: it has no kernels that communicate */
	uint32_t *kernel_of;	   /* those of each set, by set: as many as its class has members */
	struct cover *comm;	   /* by member: when it communicated */
	struct straggler_set *sets;
	size_t set_count;
	bool *together;		/* by set: it is one collective */
	struct member *members; /* by worker and member */
};

static void number_members(struct maker *m, const struct rank_map *ranks)
{
	const struct comm_walk *w = &m->c->walk;
	uint32_t *order = rank_places_order(ranks, &w->places);

	m->member_of_place = mem_alloc(w->places.count, sizeof(*m->member_of_place));
	m->out->members = mem_zalloc(w->places.count, sizeof(*m->out->members));
	for (size_t i = 0; i < w->places.count; i++) {
		uint32_t place = order[i];

		m->member_of_place[place] = ID_NONE;
		if (!w->at[place].kernels)
			continue;
		m->member_of_place[place] = (uint32_t)m->out->member_count;
		m->out->members[m->out->member_count++].place = place;
	}
	free(order);
}

static uint32_t member_of(const struct maker *m, size_t kernel)
{
	const struct straggler_classes *x = &m->out->classes;

	return x->queues[x->queue_of[kernel]].member;
}

/* Room for the matched sets of each class, one after another; begin: of its kernels. */
static void place_sets(struct maker *m, size_t *begin)
{
	struct straggler_classes *x = &m->out->classes;
	size_t kernels = 0;

	for (size_t i = 0; i < x->count; i++) {
		x->all[i].first_set = m->set_count;
		begin[i] = kernels;
		m->set_count += x->all[i].matched;
		kernels += x->all[i].matched * x->all[i].members;
	}
	m->kernel_of = mem_alloc(kernels, sizeof(*m->kernel_of));
	m->sets = mem_alloc(m->set_count, sizeof(*m->sets));
	m->together = mem_alloc(m->set_count, sizeof(*m->together));
	for (size_t i = 0; i < x->count; i++) {
		for (uint32_t k = 0; k < x->all[i].matched; k++)
			m->sets[x->all[i].first_set + k] = (struct straggler_set){
				.class = (uint32_t)i,
				.k = k,
				.kernels = m->kernel_of + begin[i] + (size_t)k * x->all[i].members,
			};
	}
}

/* The kernels of each set, in order of time, as those of the walk are. */
static void fill_sets(struct maker *m)
{
	struct straggler_classes *x = &m->out->classes;
	size_t *begin = mem_alloc(x->count, sizeof(*begin));
	uint32_t *filled, *next = mem_zalloc(x->queue_count, sizeof(*next));

	place_sets(m, begin);
	filled = mem_zalloc(m->set_count, sizeof(*filled));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct queue *q = &x->queues[x->queue_of[i]];
		const struct set_class *class = &x->all[q->class];
		uint32_t k = next[x->queue_of[i]]++;
		size_t set = class->first_set + k;

		if (k < class->matched)
			m->kernel_of[begin[q->class] + (size_t)k * class->members + filled[set]++] =
				(uint32_t)i;
		else if (class->members > 1)
			m->out->unmatched++;
		else
			m->out->alone++;
	}
	free(begin);
	free(filled);
	free(next);
}

/* Some ranks may leave these before others come; from all others nobody does. */
static bool leaves_early(enum collective_type type)
{
	return type == COLL_BROADCAST || type == COLL_REDUCE;
}

/* What the last one did since the first one began. */
static void explain(const struct maker *m, uint32_t last, struct straggler_set *s)
{
	struct slot_cursor anywhere = {0};
	const struct picked_call *call =
		picked_call_of(&m->c->launches, m->c->walk.kernels[last].row, &anywhere);
	int64_t late_ns = s->last_ns - s->first_ns;
	int64_t from;

	if (!call || call->duration_ns == DURATION_NONE) {
		s->late_ns[LATE_UNKNOWN] = late_ns;
		return;
	}
	from = picked_call_last(call);
	from = from < s->first_ns ? s->first_ns : from > s->last_ns ? s->last_ns : from;
	s->late_ns[LATE_HOST] = from - s->first_ns;
	s->late_ns[LATE_EARLIER] = cover_between(&m->comm[s->last], from, s->last_ns);
	s->late_ns[LATE_COMPUTE] = late_ns - s->late_ns[LATE_HOST] - s->late_ns[LATE_EARLIER];
}

/* False: the kernels are not one collective. */
static bool measure(const struct maker *m, struct straggler_set *s)
{
	const struct set_class *class = &m->out->classes.all[s->class];
	const struct comm_kernel *all = m->c->walk.kernels;
	const size_t n = class->members;
	/* The first of a set is the first that began; of several that began last at once the lowest
	 * rank counts. */
	uint32_t last = s->kernels[n - 1];
	int64_t first_end_ns = INT64_MAX;

	s->first_ns = all[s->kernels[0]].start_ns;
	s->last_ns = all[last].start_ns;
	for (size_t i = 0; i < n; i++) {
		const struct comm_kernel *k = &all[s->kernels[i]];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		first_end_ns = k->end_ns < first_end_ns ? k->end_ns : first_end_ns;
		s->wait_ns = sat_add(s->wait_ns, until - k->start_ns);
		if (k->start_ns == s->last_ns && member_of(m, s->kernels[i]) < member_of(m, last))
			last = s->kernels[i];
	}
	s->last = s->last_ns > s->first_ns ? member_of(m, last) : ID_NONE;
	if (first_end_ns < s->last_ns && !leaves_early(class->type))
		return false;
	if (s->last != ID_NONE)
		explain(m, last, s);
	return true;
}

static void add_to_members(const struct maker *m, const struct straggler_set *s,
			   struct member *members)
{
	for (size_t i = 0; i < m->out->classes.all[s->class].members; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[s->kernels[i]];
		struct member *x = &members[member_of(m, s->kernels[i])];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		x->sets++;
		x->waited_ns = sat_add(x->waited_ns, until - k->start_ns);
	}
	if (s->last != ID_NONE) {
		struct member *x = &members[s->last];
		int64_t late_ns = s->last_ns - s->first_ns;

		x->last++;
		x->imposed_ns = sat_add(x->imposed_ns, s->wait_ns);
		x->worst_ns = late_ns > x->worst_ns ? late_ns : x->worst_ns;
		for (int i = 0; i < LATES; i++)
			x->late_ns[i] = sat_add(x->late_ns[i], s->late_ns[i]);
	}
}

static bool is_wanted(const struct params *p, int64_t at_ns)
{
	return !p->has_trim || (at_ns >= p->from_ns && at_ns < p->to_ns);
}

static int measure_some(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	const struct maker *m = ctx;
	struct member *members = m->members + worker * m->out->member_count;

	(void)e;
	for (size_t i = begin; i < end; i++) {
		m->together[i] = measure(m, &m->sets[i]);
		if (m->together[i] && is_wanted(m->p, m->sets[i].last_ns))
			add_to_members(m, &m->sets[i], members);
	}
	return 0;
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

static void measure_all(struct maker *m)
{
	struct straggler_sets *out = m->out;
	struct err never;

	m->members = mem_zalloc(out->member_count * parallel_workers(), sizeof(*m->members));
	parallel_for(m->set_count, SETS_AT_ONCE, measure_some, m, &never);
	gather_members(m);
	free(m->members);
	out->sets = m->sets;
	for (size_t i = 0; i < m->set_count; i++) {
		if (!is_wanted(m->p, m->sets[i].last_ns))
			continue;
		if (m->together[i])
			out->sets[out->count++] = m->sets[i];
		else
			out->apart++;
	}
}

static void cover_members(struct maker *m)
{
	m->comm = mem_zalloc(m->out->member_count, sizeof(*m->comm));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[i];

		cover_add(&m->comm[member_of(m, i)], k->start_ns, k->end_ns);
	}
}

/* Neither needs the other. */
static int prepare(void *ctx, size_t begin, size_t end, unsigned worker, struct err *e)
{
	struct maker *m = ctx;

	(void)worker;
	(void)e;
	for (size_t i = begin; i < end; i++) {
		if (i)
			fill_sets(m);
		else
			cover_members(m);
	}
	return 0;
}

static void maker_free(struct maker *m)
{
	for (size_t i = 0; i < m->out->member_count; i++)
		cover_free(&m->comm[i]);
	free(m->comm);
	free(m->member_of_place);
	free(m->together);
}

int straggler_sets_make(struct trace *t, const struct params *p, struct collectives *c,
			const struct rank_map *ranks, struct straggler_sets *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .c = c, .out = ret};
	struct err never;

	*ret = (struct straggler_sets){0};
	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0 ||
	    collectives_find_launches(c, t, e) < 0)
		return -1;
	number_members(&m, ranks);
	straggler_classes_make(c, m.member_of_place, &ret->classes);
	parallel_for(2, 1, prepare, &m, &never);
	measure_all(&m);
	ret->kernel_of = m.kernel_of;
	maker_free(&m);
	return 0;
}

void straggler_sets_free(struct straggler_sets *s)
{
	straggler_classes_free(&s->classes);
	free(s->kernel_of);
	free(s->sets);
	free(s->members);
	*s = (struct straggler_sets){0};
}
