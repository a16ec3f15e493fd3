/* Which kernels of different ranks may be one collective? */
#include "analysis/comm/straggler_classes.h"

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

enum { FEW = 64 };

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
	} else if (x->by_range) {
		m->kinds[number].type = x->type;
	}
	return number;
}

static uint32_t lane_of(struct maker *m, struct pairs *numbers, uint32_t kind, uint32_t member)
{
	uint32_t number = pairs_number(numbers, kind, member);

	if (number == m->lane_count) {
		MEM_GROW(m->lanes, m->lane_cap, m->lane_count + 1);
		m->lanes[m->lane_count++] = (struct lane){kind, member, 0};
		m->kinds[kind].members++;
	}
	m->lanes[number].count++;
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

		m->lane_of[i] = lane_of(m, &numbers, kind, m->member_of_place[w->kernels[i].place]);
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
			.type = k->type,
			.communicator = k->communicator,
			.name = k->name,
			.stream = k->stream,
		};
	}
	idmap_free(&named);
}

/* Returns the queue of each lane; queues are numbered as they are met. */
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
			out->queues[out->queue_count++] = (struct queue){class, l->member, 0, NULL};
			out->all[class].members++;
		}
		out->queues[queue].count += l->count;
		queue_of_lane[i] = queue;
	}
	idmap_free(&numbers);
	return queue_of_lane;
}

/* The kernels of each queue, in the order in which the walk has them. */
static void fill_queues(const struct maker *m, const uint32_t *queue_of_lane)
{
	const size_t n = m->c->walk.kernel_count;
	struct straggler_classes *out = m->out;
	size_t begin = 0;

	out->kernels = mem_alloc(n, sizeof(*out->kernels));
	for (size_t i = 0; i < out->queue_count; i++) {
		out->queues[i].kernels = out->kernels + begin;
		begin += out->queues[i].count;
		out->queues[i].count = 0;
	}
	for (size_t i = 0; i < n; i++) {
		struct queue *q = &out->queues[queue_of_lane[m->lane_of[i]]];

		q->kernels[q->count++] = (uint32_t)i;
	}
}

static void order_queues(struct straggler_classes *x)
{
	struct queue *sorted = mem_alloc(x->queue_count, sizeof(*sorted));
	size_t *next = mem_alloc(x->count, sizeof(*next)), begin = 0;

	for (size_t i = 0; i < x->count; i++) {
		x->all[i].first_queue = next[i] = begin;
		begin += x->all[i].members;
	}
	for (size_t i = 0; i < x->queue_count; i++)
		sorted[next[x->queues[i].class]++] = x->queues[i];
	free(next);
	free(x->queues);
	x->queues = sorted;
	x->queue_cap = x->queue_count;
}

void straggler_classes_make(const struct collectives *c, const uint32_t *member_of_place,
			    struct straggler_classes *ret)
{
	struct maker m = {.c = c, .member_of_place = member_of_place, .out = ret};
	uint32_t *queue_of_lane;

	*ret = (struct straggler_classes){0};
	m.kinds = mem_alloc(m.kind_cap = FEW, sizeof(*m.kinds));
	m.lanes = mem_alloc(m.lane_cap = FEW, sizeof(*m.lanes));
	sort_into_lanes(&m);
	forget_odd_streams(&m);
	make_classes(&m);
	queue_of_lane = make_queues(&m);
	fill_queues(&m, queue_of_lane);
	order_queues(ret);
	free(queue_of_lane);
	free(m.lane_of);
	free(m.kinds);
	free(m.lanes);
}

void straggler_classes_free(struct straggler_classes *x)
{
	free(x->all);
	free(x->queues);
	free(x->kernels);
	*x = (struct straggler_classes){0};
}
