/* Which ranks take part in the same collectives? */
#include "analysis/comm/straggler_groups.h"

#include "base/mem.h"

#include <stdlib.h>

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

static void group(const struct comm_walk *w, struct straggler_classes *x, size_t number)
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

void straggler_groups_find(const struct comm_walk *w, struct straggler_classes *x)
{
	const size_t classes = x->count;

	for (size_t i = 0; i < classes; i++)
		group(w, x, i);
}
