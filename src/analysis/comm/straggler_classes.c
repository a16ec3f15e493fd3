/* Which kernels of different ranks may be one collective? */
#include "analysis/comm/straggler_sets.h"

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
	const uint32_t *member_of_gpu;
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

		m->lane_of[i] = lane_of(m, &numbers, kind, m->member_of_gpu[w->kernels[i].gpu]);
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

/* Which ranks take part in the same collectives? */

enum {
	GROUPED_MAX = 64, /* ranks in one file; pairs of more would take too long */
	SAMPLES = 512,	  /* of two ranks' kernels that are looked at */
};

static const double nearly_all = 0.99; /* of them run at the same time in a group */

static const struct queue *queues_of(const struct straggler_classes *x,
				     const struct set_class *class)
{
	return &x->queues[class->first_queue];
}

static uint32_t fewest(const struct queue *q, size_t count)
{
	uint32_t least = UINT32_MAX;

	for (size_t i = 0; i < count; i++)
		least = q[i].count < least ? q[i].count : least;
	return least;
}

static bool counts_differ(const struct queue *q, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (q[i].count != q[0].count)
			return true;
	}
	return false;
}

/* Whether the k-th kernels all run at some moment. */
static bool is_together(const struct comm_walk *w, const struct set_class *class,
			const struct queue *q, uint32_t k)
{
	int64_t last_ns = INT64_MIN, first_end_ns = INT64_MAX;

	for (size_t i = 0; i < class->members; i++) {
		const struct comm_kernel *x = &w->kernels[queue_kernel(class, &q[i], k)];

		last_ns = x->start_ns > last_ns ? x->start_ns : last_ns;
		first_end_ns = x->end_ns < first_end_ns ? x->end_ns : first_end_ns;
	}
	return last_ns <= first_end_ns;
}

/* Of up to SAMPLES sets, evenly taken, those that are one collective. */
static uint32_t count_together(const struct comm_walk *w, const struct set_class *class,
			       const struct queue *q)
{
	uint32_t samples = class->matched < SAMPLES ? class->matched : SAMPLES, together = 0;

	for (uint32_t i = 0; i < samples; i++) {
		uint32_t k = (uint32_t)((uint64_t)i * class->matched / samples);

		together += is_together(w, class, q, k);
	}
	return together;
}

/* From the first on or from the last back: as more of them run at the same time. */
static void align(const struct comm_walk *w, struct set_class *class, const struct queue *q)
{
	uint32_t from_the_first;

	class->from_the_end = false;
	class->matched = class->members > 1 ? fewest(q, class->members) : 0;
	if (!class->matched || set_class_leaves_early(class) || !counts_differ(q, class->members))
		return;
	from_the_first = count_together(w, class, q);
	class->from_the_end = true;
	class->from_the_end = count_together(w, class, q) > from_the_first;
}

static bool is_nearly_all(const struct set_class *class, uint32_t together)
{
	uint32_t samples = class->matched < SAMPLES ? class->matched : SAMPLES;

	return (double)together >= nearly_all * (double)samples;
}

/* Whether two ranks are always at it at the same time. */
static bool are_related(const struct comm_walk *w, const struct set_class *class,
			const struct queue *a, const struct queue *b)
{
	const struct queue both[2] = {*a, *b};
	struct set_class pair = *class;

	pair.members = 2;
	align(w, &pair, both);
	return is_nearly_all(&pair, count_together(w, &pair, both));
}

/* Numbers of groups, by queue: each that is related to one of a group belongs to it. */
static size_t number_groups(const struct comm_walk *w, const struct set_class *class,
			    const struct queue *q, uint8_t *group)
{
	uint8_t todo[GROUPED_MAX];
	size_t groups = 0, count;

	memset(group, 0xff, class->members);
	for (size_t first = 0; first < class->members; first++) {
		if (group[first] != UINT8_MAX)
			continue;
		group[first] = (uint8_t)groups;
		todo[0] = (uint8_t)first;
		for (count = 1; count;) {
			size_t a = todo[--count];

			for (size_t b = 0; b < class->members; b++) {
				if (group[b] != UINT8_MAX || !are_related(w, class, &q[a], &q[b]))
					continue;
				group[b] = (uint8_t)groups;
				todo[count++] = (uint8_t)b;
			}
		}
		groups++;
	}
	return groups;
}

/* Puts the queues of each group together, the first group in the class's place. */
static void split(const struct comm_walk *w, struct straggler_classes *x, size_t number,
		  const uint8_t *group, size_t groups)
{
	const struct set_class whole = x->all[number];
	struct queue *q = &x->queues[whole.first_queue];
	struct queue *old = mem_alloc(whole.members, sizeof(*old));
	size_t at = 0;

	memcpy(old, q, whole.members * sizeof(*old));
	for (size_t g = 0; g < groups; g++) {
		size_t to = g ? x->count++ : number;
		struct set_class *class;

		MEM_GROW(x->all, x->cap, x->count);
		class = &x->all[to];
		*class = whole;
		class->is_group = true;
		class->first_queue = whole.first_queue + at;
		for (size_t i = 0; i < whole.members; i++) {
			if (group[i] != g)
				continue;
			q[at] = old[i];
			q[at++].class = (uint32_t)to;
		}
		class->members = (uint32_t)(whole.first_queue + at - class->first_queue);
		align(w, class, queues_of(x, class));
	}
	free(old);
}

static void group_ranks(const struct comm_walk *w, struct straggler_classes *x, size_t number)
{
	struct set_class *class = &x->all[number];
	uint8_t of_queue[GROUPED_MAX];
	size_t groups;

	align(w, class, queues_of(x, class));
	if (class->communicator != ID_NONE || class->members < 3 || class->members > GROUPED_MAX ||
	    set_class_leaves_early(class) ||
	    is_nearly_all(class, count_together(w, class, queues_of(x, class))))
		return;
	groups = number_groups(w, class, queues_of(x, class), of_queue);
	if (groups > 1 && groups < class->members)
		split(w, x, number, of_queue, groups);
}

/*
 * Splits classes whose ranks are not at it at the same time, and says how many sets each has. Where
 * ranks have different numbers of kernels, those are matched from the first on, or from the last
 * where more of them run at the same time that way: a capture may begin between two ranks' calls.
 */
static void find_groups(const struct comm_walk *w, struct straggler_classes *x)
{
	const size_t classes = x->count;

	for (size_t i = 0; i < classes; i++)
		group_ranks(w, x, i);
}

void straggler_classes_make(const struct collectives *c, const uint32_t *member_of_gpu,
			    struct straggler_classes *ret)
{
	struct maker m = {.c = c, .member_of_gpu = member_of_gpu, .out = ret};
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
	find_groups(&c->walk, ret);
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
