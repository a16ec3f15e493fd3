/* Do kernels whose communicators are not known fit together as those of one group of ranks? */
#include "fleet/job/misfits.h"

#include "base/mem.h"

#include <stdlib.h>

/* A rank and one more are a group, if any are. */
enum { LEAST_RANKS = 3 };

static bool is_by_name(const struct instance_class *c)
{
	return !c->is->has_communicator && !c->leaves_early;
}

/* All kernels of a name, whatever groups were made of their ranks. */
struct named {
	const struct part_collective_class *is;
	size_t queues, longest;
};

static size_t number_of(const struct named *all, size_t count, const struct instance_class *c)
{
	size_t n = 0;

	while (n < count && all[n].is != c->is)
		n++;
	return n;
}

static struct named *list_named(const struct instances *x, size_t *ret_count)
{
	struct named *all = mem_zalloc(x->class_count, sizeof(*all));

	*ret_count = 0;
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		const size_t n = is_by_name(c) ? number_of(all, *ret_count, c) : 0;

		if (!is_by_name(c))
			continue;
		*ret_count += n == *ret_count;
		all[n].is = c->is;
		all[n].queues += c->queue_count;
		for (size_t k = c->first_queue; k < c->first_queue + c->queue_count; k++) {
			if (x->queues[k].count > all[n].longest)
				all[n].longest = x->queues[k].count;
		}
	}
	return all;
}

const struct part_collective_class *misfits_find(const struct instances *x, uint64_t *ret_lost)
{
	const struct part_collective_class *found = NULL;
	size_t count;
	struct named *all = list_named(x, &count);

	for (size_t i = 0; i < x->queue_count; i++) {
		const struct instance_queue *q = &x->queues[i];
		const struct instance_class *c = &x->classes[q->class];
		const size_t n = is_by_name(c) ? number_of(all, count, c) : count;
		const uint64_t lost = queue_lost(q);

		/* Who has as many as anybody lacks none: they are no group. */
		if (lost && n < count && all[n].queues >= LEAST_RANKS && q->count == all[n].longest)
			found = found ? found : c->is;
		else if (ret_lost)
			ret_lost[q->member] += lost;
	}
	free(all);
	return found;
}
