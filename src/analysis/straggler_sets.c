/* Which kernels of different ranks are one collective, who came last to it, and why? */
#include "analysis/straggler_sets.h"

#include "analysis/cover.h"
#include "analysis/rank_places.h"
#include "base/mem.h"

#include <stdlib.h>

/* Kernels that are called the same: a type in a communicator, or a name on a stream. */
struct kind {
	enum collective_type type;
	uint32_t communicator;
	uint32_t name, stream;
	uint32_t members; /* that have such kernels */
	uint32_t class;
};

/* The kernels of a kind on one member. */
struct lane {
	uint32_t kind, member, queue;
	uint32_t count;
};

/* The kernels of a class on one member. */
struct queue {
	uint32_t class;
	uint32_t count, next;
};

struct maker {
	struct trace *trace;
	const struct params *p;
	const struct collectives *c;
	struct straggler_sets *out;
	uint32_t *member_of_place; /* ID_NONE: it has no kernels that communicate */
	struct kind *kinds;
	size_t kind_count, kind_cap;
	struct lane *lanes;
	size_t lane_count, lane_cap;
	struct queue *queues;
	size_t queue_count, queue_cap;
	uint32_t *lane_of;   /* by kernel */
	uint32_t *kernel_of; /* those of each set, by set and member: members of its class */
	size_t *begin;	     /* in kernel_of, by set */
	struct cover *comm;  /* by member: when it communicated */
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
	return m->lanes[m->lane_of[kernel]].member;
}

/* Maps from what kernels are called to kinds, and from kinds and members to lanes. */
struct numbers {
	struct idmap told, named, lanes;
};

static uint32_t kind_of(struct maker *m, struct numbers *n, size_t kernel)
{
	const struct events *ev = &m->trace->events[TRACE_KERNELS];
	const struct collective *x = &m->c->all[kernel];
	uint32_t row = m->c->walk.kernels[kernel].row, next = (uint32_t)m->kind_count, number;
	struct kind k = {x->type, x->communicator, NAME_NONE, ID_NONE, 0, 0};

	if (x->communicator != ID_NONE) {
		number = idmap_add(&n->told, (uint64_t)x->communicator << 32 | x->type, next);
	} else {
		k.name = ev->name[row];
		k.stream = ev->stream ? ev->stream[row] : ID_NONE;
		number = idmap_add(&n->named, (uint64_t)k.name << 32 | k.stream, next);
	}
	if (number == next) {
		MEM_GROW(m->kinds, m->kind_cap, m->kind_count + 1);
		m->kinds[m->kind_count++] = k;
	}
	return number;
}

/* What is asked of kernels from here on is asked of their lanes, which are few. */
static void sort_into_lanes(struct maker *m)
{
	struct numbers n = {0};

	m->lane_of = mem_alloc(m->c->walk.kernel_count, sizeof(*m->lane_of));
	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		uint32_t kind = kind_of(m, &n, i);
		uint32_t member = m->member_of_place[m->c->walk.kernels[i].place];
		uint32_t lane = idmap_number_pair(&n.lanes, kind, member);

		if (lane == m->lane_count) {
			MEM_GROW(m->lanes, m->lane_cap, m->lane_count + 1);
			m->lanes[m->lane_count++] = (struct lane){kind, member, 0, 0};
			m->kinds[kind].members++;
		}
		m->lanes[lane].count++;
		m->lane_of[i] = lane;
	}
	idmap_free(&n.told);
	idmap_free(&n.named);
	idmap_free(&n.lanes);
}

/* By number in the map: how many members have kernels of a name, on whatever stream. */
static uint32_t *count_members_of_names(const struct maker *m, struct idmap *names)
{
	uint32_t *members = mem_zalloc(m->kind_count, sizeof(*members));
	struct idmap pairs = {0};

	for (size_t i = 0; i < m->lane_count; i++) {
		const struct lane *l = &m->lanes[i];
		uint32_t name = idmap_number_pair(names, 0, m->kinds[l->kind].name);
		size_t before = pairs.count;

		idmap_number_pair(&pairs, name, l->member);
		members[name] += pairs.count > before;
	}
	idmap_free(&pairs);
	return members;
}

/*
 * Streams have the same numbers in all ranks of a program that does the same everywhere; where one
 * rank lacks another's stream they mean nothing, and all kernels of the name are of one class.
 */
static void forget_odd_streams(struct maker *m)
{
	struct idmap names = {0};
	uint32_t *members = count_members_of_names(m, &names);
	bool *odd = mem_zalloc(m->kind_count, sizeof(*odd));

	for (size_t i = 0; i < m->kind_count; i++) {
		uint32_t name = idmap_number_pair(&names, 0, m->kinds[i].name);

		odd[name] |= m->kinds[i].members != members[name];
	}
	for (size_t i = 0; i < m->kind_count; i++) {
		if (odd[idmap_number_pair(&names, 0, m->kinds[i].name)])
			m->kinds[i].stream = ID_NONE;
	}
	idmap_free(&names);
	free(members);
	free(odd);
}

static void make_classes(struct maker *m)
{
	struct straggler_sets *out = m->out;
	struct idmap named = {0};

	forget_odd_streams(m);
	for (size_t i = 0; i < m->kind_count; i++) {
		struct kind *k = &m->kinds[i];
		uint32_t next = (uint32_t)out->class_count;

		k->class = k->communicator != ID_NONE
				   ? next
				   : idmap_add(&named, (uint64_t)k->name << 32 | k->stream, next);
		if (k->class != next)
			continue;
		MEM_GROW(out->classes, out->class_cap, out->class_count + 1);
		out->classes[out->class_count++] = (struct set_class){
			k->type, k->communicator, k->name, k->stream, 0, UINT64_MAX, 0};
	}
	idmap_free(&named);
}

static void make_queues(struct maker *m)
{
	struct idmap numbers = {0};

	for (size_t i = 0; i < m->lane_count; i++) {
		struct lane *l = &m->lanes[i];
		uint32_t class = m->kinds[l->kind].class;

		l->queue = idmap_number_pair(&numbers, class, l->member);
		if (l->queue == m->queue_count) {
			MEM_GROW(m->queues, m->queue_cap, m->queue_count + 1);
			m->queues[m->queue_count++] = (struct queue){class, 0, 0};
			m->out->classes[class].members++;
		}
		m->queues[l->queue].count += l->count;
	}
	idmap_free(&numbers);
}

/* What every member of a class has is matched, from the first on; the rest has no counterpart. */
static void count_matched(struct maker *m)
{
	struct straggler_sets *out = m->out;

	for (size_t i = 0; i < m->queue_count; i++) {
		const struct queue *q = &m->queues[i];
		struct set_class *x = &out->classes[q->class];

		x->matched = q->count < x->matched ? q->count : x->matched;
		if (x->members < 2) {
			x->matched = 0;
			out->alone += q->count;
		}
	}
}

/* Room for the matched sets of each class, one after another. */
static size_t place_sets(struct maker *m)
{
	struct straggler_sets *out = m->out;
	size_t sets = 0, kernels = 0, at = 0;

	for (size_t i = 0; i < out->class_count; i++) {
		out->classes[i].first_set = sets;
		sets += out->classes[i].matched;
		kernels += out->classes[i].matched * out->classes[i].members;
	}
	m->begin = mem_alloc(sets + 1, sizeof(*m->begin));
	m->kernel_of = mem_alloc(kernels, sizeof(*m->kernel_of));
	for (size_t i = 0; i < out->class_count; i++) {
		const struct set_class *x = &out->classes[i];

		for (size_t k = 0; k < x->matched; k++, at += x->members)
			m->begin[x->first_set + k] = at;
	}
	m->begin[sets] = at;
	return sets;
}

static size_t fill_sets(struct maker *m)
{
	size_t sets = place_sets(m);
	uint32_t *filled = mem_zalloc(sets, sizeof(*filled));

	for (size_t i = 0; i < m->c->walk.kernel_count; i++) {
		struct queue *q = &m->queues[m->lanes[m->lane_of[i]].queue];
		const struct set_class *x = &m->out->classes[q->class];
		uint32_t k = q->next++;
		size_t set = x->first_set + k;

		if (k < x->matched)
			m->kernel_of[m->begin[set] + filled[set]++] = (uint32_t)i;
		else
			m->out->unmatched += x->members > 1;
	}
	free(filled);
	return sets;
}

/* Some ranks may leave these before others come; from all others nobody does. */
static bool leaves_early(enum collective_type type)
{
	return type == COLL_BROADCAST || type == COLL_REDUCE;
}

/* What the last one did since the first one began. */
static void explain(const struct maker *m, uint32_t last, struct straggler_set *s)
{
	const struct picked_call *call = &m->c->launches[last];
	int64_t late_ns = s->last_ns - s->first_ns;
	int64_t from;

	if (!call->found || call->duration_ns == DURATION_NONE) {
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
static bool measure(const struct maker *m, size_t set, struct straggler_set *s)
{
	const uint32_t *kernels = m->kernel_of + m->begin[set];
	const size_t n = m->begin[set + 1] - m->begin[set];
	const struct comm_kernel *all = m->c->walk.kernels;
	/* Kernels lie by start, so that the first of a set is the first that began; of several
	 * that began last at once the lowest rank counts. */
	uint32_t last = kernels[n - 1];
	int64_t first_end_ns = INT64_MAX;

	s->first_ns = all[kernels[0]].start_ns;
	s->last_ns = all[last].start_ns;
	for (size_t i = 0; i < n; i++) {
		const struct comm_kernel *k = &all[kernels[i]];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		first_end_ns = k->end_ns < first_end_ns ? k->end_ns : first_end_ns;
		s->wait_ns = sat_add(s->wait_ns, until - k->start_ns);
		if (k->start_ns == s->last_ns && member_of(m, kernels[i]) < member_of(m, last))
			last = kernels[i];
	}
	if (first_end_ns < s->last_ns && !leaves_early(m->out->classes[s->class].type))
		return false;
	s->last = s->last_ns > s->first_ns ? member_of(m, last) : ID_NONE;
	if (s->last != ID_NONE)
		explain(m, last, s);
	return true;
}

static void add_to_members(const struct maker *m, size_t set, const struct straggler_set *s)
{
	for (size_t i = m->begin[set]; i < m->begin[set + 1]; i++) {
		const struct comm_kernel *k = &m->c->walk.kernels[m->kernel_of[i]];
		struct member *x = &m->out->members[member_of(m, m->kernel_of[i])];
		int64_t until = k->end_ns < s->last_ns ? k->end_ns : s->last_ns;

		x->sets++;
		x->waited_ns = sat_add(x->waited_ns, until - k->start_ns);
	}
	if (s->last != ID_NONE) {
		struct member *x = &m->out->members[s->last];
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

static void measure_all(struct maker *m, size_t sets)
{
	struct straggler_sets *out = m->out;

	out->sets = mem_alloc(sets, sizeof(*out->sets));
	for (size_t class = 0; class < out->class_count; class ++) {
		const struct set_class *x = &out->classes[class];

		for (size_t k = 0; k < x->matched; k++) {
			struct straggler_set s = {.class = (uint32_t) class, .k = (uint32_t)k};
			bool together = measure(m, x->first_set + k, &s);

			if (!is_wanted(m->p, s.last_ns))
				continue;
			if (!together) {
				out->apart++;
				continue;
			}
			add_to_members(m, x->first_set + k, &s);
			out->sets[out->count++] = s;
		}
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

static void maker_free(struct maker *m)
{
	for (size_t i = 0; m->comm && i < m->out->member_count; i++)
		cover_free(&m->comm[i]);
	free(m->comm);
	free(m->member_of_place);
	free(m->kinds);
	free(m->lanes);
	free(m->queues);
	free(m->lane_of);
	free(m->kernel_of);
	free(m->begin);
}

int straggler_sets_make(struct trace *t, const struct params *p, struct collectives *c,
			const struct rank_map *ranks, struct straggler_sets *ret, struct err *e)
{
	struct maker m = {.trace = t, .p = p, .c = c, .out = ret};

	*ret = (struct straggler_sets){0};
	if (trace_load(t, TRACE_KERNELS, COL_BIT(COL_STREAM), e) < 0 ||
	    collectives_find_launches(c, t, e) < 0)
		return -1;
	number_members(&m, ranks);
	sort_into_lanes(&m);
	cover_members(&m);
	make_classes(&m);
	make_queues(&m);
	count_matched(&m);
	measure_all(&m, fill_sets(&m));
	maker_free(&m);
	return 0;
}

void straggler_sets_free(struct straggler_sets *s)
{
	free(s->classes);
	free(s->sets);
	free(s->members);
	*s = (struct straggler_sets){0};
}
