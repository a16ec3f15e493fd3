/* Which kernels of different ranks may be one collective? */
#include "analysis/straggler_classes.h"

#include "base/mem.h"
#include "base/pairs.h"

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
	uint32_t kind, member;
	uint32_t count;
};

struct maker {
	const struct collectives *c;
	const uint32_t *member_of_place;
	struct straggler_classes *out;
	struct kind *kinds;
	size_t kind_count, kind_cap;
	struct lane *lanes;
	size_t lane_count, lane_cap;
	uint32_t *lane_of; /* by kernel */
};

/* Communicators are numbered apart from names, of which there are fewer than this. */
#define TOLD (UINT32_C(1) << 31)

static uint32_t kind_of(struct maker *m, struct pairs *numbers, size_t kernel)
{
	const struct events *ev = &m->c->calls.trace->events[TRACE_KERNELS];
	const struct collective *x = &m->c->all[kernel];
	const uint32_t row = m->c->walk.kernels[kernel].row;
	struct kind k = {x->type, x->communicator, NAME_NONE, ID_NONE, 0, 0};
	uint32_t number;

	if (x->communicator != ID_NONE) {
		number = pairs_number(numbers, TOLD | x->communicator, x->type);
	} else {
		k.name = ev->name[row];
		k.stream = ev->stream ? ev->stream[row] : ID_NONE;
		number = pairs_number(numbers, k.name, k.stream);
	}
	if (number == m->kind_count) {
		MEM_GROW(m->kinds, m->kind_cap, m->kind_count + 1);
		m->kinds[m->kind_count++] = k;
	}
	return number;
}

/* What is asked of kernels from here on is asked of their lanes, which are few. */
static void sort_into_lanes(struct maker *m)
{
	const struct comm_walk *w = &m->c->walk;
	struct pairs kinds = {0}, numbers = {0};

	m->lane_of = mem_alloc(w->kernel_count, sizeof(*m->lane_of));
	for (size_t i = 0; i < w->kernel_count; i++) {
		uint32_t kind = kind_of(m, &kinds, i);
		uint32_t member = m->member_of_place[w->kernels[i].place];
		uint32_t lane = pairs_number(&numbers, kind, member);

		if (lane == m->lane_count) {
			MEM_GROW(m->lanes, m->lane_cap, m->lane_count + 1);
			m->lanes[m->lane_count++] = (struct lane){kind, member, 0};
			m->kinds[kind].members++;
		}
		m->lanes[lane].count++;
		m->lane_of[i] = lane;
	}
	pairs_free(&kinds);
	pairs_free(&numbers);
}

/* Numbers the names of kinds, and counts the members that have one, on whatever stream. */
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

/* A communicator's type is one kind already. */
static void make_classes(struct maker *m)
{
	struct straggler_classes *out = m->out;
	struct idmap named = {0};

	for (size_t i = 0; i < m->kind_count; i++) {
		struct kind *k = &m->kinds[i];
		uint32_t next = (uint32_t)out->count;

		k->class = k->communicator != ID_NONE
				   ? next
				   : idmap_add(&named, (uint64_t)k->name << 32 | k->stream, next);
		if (k->class != next)
			continue;
		MEM_GROW(out->all, out->cap, out->count + 1);
		out->all[out->count++] = (struct set_class){
			k->type, k->communicator, k->name, k->stream, 0, UINT64_MAX, 0};
	}
	idmap_free(&named);
}

/* Returns the queue of each lane. */
static uint32_t *make_queues(struct maker *m)
{
	uint32_t *queue_of_lane = mem_alloc(m->lane_count, sizeof(*queue_of_lane));
	struct straggler_classes *out = m->out;
	struct idmap numbers = {0};

	for (size_t i = 0; i < m->lane_count; i++) {
		const struct lane *l = &m->lanes[i];
		uint32_t class = m->kinds[l->kind].class;
		uint32_t queue = idmap_number_pair(&numbers, class, l->member);

		if (queue == out->queue_count) {
			MEM_GROW(out->queues, out->queue_cap, out->queue_count + 1);
			out->queues[out->queue_count++] = (struct queue){class, l->member, 0};
			out->all[class].members++;
		}
		out->queues[queue].count += l->count;
		queue_of_lane[i] = queue;
	}
	idmap_free(&numbers);
	return queue_of_lane;
}

/* What every member of a class has is matched, from the first on; the rest has no counterpart. */
static void count_matched(struct straggler_classes *x)
{
	for (size_t i = 0; i < x->queue_count; i++) {
		const struct queue *q = &x->queues[i];
		struct set_class *class = &x->all[q->class];

		if (class->members < 2)
			class->matched = 0;
		else if (q->count < class->matched)
			class->matched = q->count;
	}
}

void straggler_classes_make(const struct collectives *c, const uint32_t *member_of_place,
			    struct straggler_classes *ret)
{
	struct maker m = {.c = c, .member_of_place = member_of_place, .out = ret};
	uint32_t *queue_of_lane;

	*ret = (struct straggler_classes){0};
	sort_into_lanes(&m);
	forget_odd_streams(&m);
	make_classes(&m);
	queue_of_lane = make_queues(&m);
	count_matched(ret);
	ret->queue_of = m.lane_of;
	for (size_t i = 0; i < c->walk.kernel_count; i++)
		ret->queue_of[i] = queue_of_lane[m.lane_of[i]];
	free(queue_of_lane);
	free(m.kinds);
	free(m.lanes);
}

void straggler_classes_free(struct straggler_classes *x)
{
	free(x->all);
	free(x->queues);
	free(x->queue_of);
	*x = (struct straggler_classes){0};
}
