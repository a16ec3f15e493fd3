/* Do ranks that send to each other pass work on, or do they exchange edges? */
#include "analysis/replay/flow.h"

#include "base/idmap.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	WAYS = 2,  /* classes of the same two ranks: one for each direction */
	LEAST = 4, /* exchanges with either neighbour that tell */
	SHARE = 4, /* a stage computes at least this part of what it does for each exchange between
		      the two of them */
};

/* A rank's kernel in a collective, and what it has not computed by then. */
struct stay {
	uint32_t class, number;
	int64_t leave_ns;
	int64_t other_ns; /* in all of its stays until then, and before them: idle and exposed */
};

/* The stays of one rank. */
struct stays {
	struct stay *all; /* in order of their end */
	size_t count;
	uint32_t pair[2][WAYS]; /* classes of its two neighbours; ROLES_NONE */
	bool has_more;		/* than these */
};

/* `first`: of the same two ranks. */
static void add_pair(struct stays *s, uint32_t first, uint32_t class)
{
	for (int i = 0; i < 2; i++) {
		if (s->pair[i][0] == ROLES_NONE) {
			s->pair[i][0] = class;
			return;
		}
		if (s->pair[i][0] == first) {
			s->pair[i][1] = s->pair[i][1] == ROLES_NONE ? class : s->pair[i][1];
			return;
		}
	}
	s->has_more = true;
}

/* By class the first of the same two ranks: some have one communicator for each direction. */
static uint32_t *list_firsts(const struct replay *r)
{
	uint32_t *first = mem_alloc(r->class_count, sizeof(*first));
	struct idmap pairs = {0};

	for (uint32_t i = 0; i < r->class_count; i++) {
		const struct replay_class *c = &r->classes[i];

		first[i] = i;
		if (replay_class_is_pair(c))
			first[i] =
				idmap_add(&pairs, (uint64_t)c->members[0] << 32 | c->members[1], i);
	}
	idmap_free(&pairs);
	return first;
}

static void list_neighbours(const struct replay *r, const uint32_t *first, struct stays *of)
{
	for (size_t i = 0; i < r->member_count; i++)
		for (int k = 0; k < 2; k++)
			of[i].pair[k][0] = of[i].pair[k][1] = ROLES_NONE;
	for (uint32_t i = 0; i < r->class_count; i++) {
		if (!replay_class_is_pair(&r->classes[i]))
			continue;
		for (int k = 0; k < 2; k++)
			add_pair(&of[r->classes[i].members[k]], first[i], i);
	}
}

static bool is_between_two(const struct stays *s)
{
	return s->pair[1][0] != ROLES_NONE && !s->has_more;
}

/* In the order of visits, which is that of time within a class alone. */
static void list_stays(const struct replay *r, struct stays *of)
{
	size_t *room = mem_zalloc(r->member_count, sizeof(*room));

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			const struct replay_entry *is = &r->stops[k].is;
			struct stays *to = &of[is->member];

			if (!is_between_two(to) || is->kernel == REPLAY_NONE)
				continue;
			MEM_GROW(to->all, room[is->member], to->count + 1);
			to->all[to->count++] = (struct stay){v->class, v->number, is->leave_ns,
							     sat_add(is->idle_ns, is->exposed_ns)};
		}
	}
	free(room);
}

static int by_leave(const void *a, const void *b, void *ctx)
{
	const struct stay *x = a, *y = b;

	(void)ctx;
	return (x->leave_ns > y->leave_ns) - (x->leave_ns < y->leave_ns);
}

static void put_in_order(struct stays *s)
{
	int64_t other_ns = 0;

	sort_stable(s->all, s->count, sizeof(*s->all), by_leave, NULL);
	for (size_t i = 0; i < s->count; i++)
		s->all[i].other_ns = other_ns = sat_add(other_ns, s->all[i].other_ns);
}

/* At least so much; kernels that communicate beside each other count twice as not computed. */
static int64_t computed_between(const struct stay *a, const struct stay *b)
{
	const int64_t ns =
		sat_sub(sat_sub(b->leave_ns, a->leave_ns), sat_sub(b->other_ns, a->other_ns));

	return ns > 0 ? ns : 0;
}

/* Of the how-manieth exchange in either class what is computed between them, by number. */
static size_t list_computed(const struct stays *s, uint32_t one, uint32_t other, int64_t *ret)
{
	uint32_t *first = mem_alloc(s->count, sizeof(*first));
	size_t count = 0, waiting = 0, from = 0;

	/* Exchanges come in the order of their numbers with each neighbour: who is ahead waits. */
	for (uint32_t i = 0; i < s->count; i++) {
		const struct stay *x = &s->all[i];

		if (x->class != one && x->class != other)
			continue;
		while (from < waiting && s->all[first[from]].class != x->class &&
		       s->all[first[from]].number < x->number)
			from++;
		if (from < waiting && s->all[first[from]].class != x->class &&
		    s->all[first[from]].number == x->number)
			ret[count++] = computed_between(&s->all[first[from++]], x);
		else
			first[waiting++] = i;
	}
	free(first);
	return count;
}

/* What half of the exchanges show, against what a rank computes for each of them. */
static enum replay_flow flow_between(const struct stays *s, uint32_t one, uint32_t other)
{
	int64_t *ns = mem_alloc(s->count, sizeof(*ns)), *scratch = mem_alloc(s->count, sizeof(*ns));
	const size_t count = list_computed(s, one, other, ns);
	enum replay_flow flow = FLOW_UNKNOWN;

	if (count >= LEAST) {
		const int64_t all_ns = computed_between(&s->all[0], &s->all[s->count - 1]);
		const int64_t between_ns = replay_lower_median(ns, scratch, count);

		/* Of all of it there may seem to be nothing, where kernels communicate beside
		 * each other; of what lies between two exchanges there is then something still. */
		flow = between_ns > 0 && between_ns >= all_ns / (int64_t)count / SHARE
			       ? FLOW_PASSES
			       : FLOW_AT_ONCE;
	}
	free(scratch);
	free(ns);
	return flow;
}

/*
 * What comes from one neighbour and goes on to the other is of one direction: between what is of
 * two lies a whole filling of the pipeline. Nothing tells which classes are of one, so any two may
 * show it.
 */
static enum replay_flow flow_at(const struct stays *s)
{
	enum replay_flow flow = FLOW_UNKNOWN;

	for (int i = 0; i < WAYS * WAYS && flow != FLOW_PASSES; i++) {
		const uint32_t one = s->pair[0][i / WAYS], other = s->pair[1][i % WAYS];
		const enum replay_flow own = one == ROLES_NONE || other == ROLES_NONE
						     ? FLOW_UNKNOWN
						     : flow_between(s, one, other);

		flow = own == FLOW_UNKNOWN ? flow : own;
	}
	return flow;
}

enum replay_flow *flow_find(const struct replay *r)
{
	enum replay_flow *flow = mem_zalloc(r->class_count, sizeof(*flow));
	struct stays *of = mem_zalloc(r->member_count, sizeof(*of));
	uint32_t *first = list_firsts(r);

	list_neighbours(r, first, of);
	list_stays(r, of);
	for (size_t i = 0; i < r->member_count; i++) {
		enum replay_flow own;

		if (!is_between_two(&of[i]))
			continue;
		put_in_order(&of[i]);
		own = flow_at(&of[i]);
		for (int k = 0; k < 2; k++)
			flow[of[i].pair[k][0]] =
				own > flow[of[i].pair[k][0]] ? own : flow[of[i].pair[k][0]];
		free(of[i].all);
	}
	for (size_t i = 0; i < r->class_count; i++)
		flow[i] = flow[first[i]];
	free(first);
	free(of);
	return flow;
}
