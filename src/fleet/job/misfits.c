/* Do kernels whose communicators are not known fit together as those of one group of ranks? */
#include "fleet/job/misfits.h"

#include "base/idmap.h"
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
	size_t queues, longest;
};

/* By class; NULL: it is of a communicator, or may be left early. */
static struct named **list_named(const struct instances *x, struct named *all)
{
	struct named **of_class = mem_zalloc(x->class_count, sizeof(struct named *));
	struct idmap numbers = {0};

	for (uint32_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		struct named *n;

		if (!is_by_name(c))
			continue;
		n = &all[idmap_add(&numbers, (uint64_t)(uintptr_t)c->is, i)];
		of_class[i] = n;
		n->queues += c->queue_count;
		for (size_t k = c->first_queue; k < c->first_queue + c->queue_count; k++) {
			if (x->queues[k].count > n->longest)
				n->longest = x->queues[k].count;
		}
	}
	idmap_free(&numbers);
	return of_class;
}

const struct part_collective_class *misfits_find(const struct instances *x, uint64_t *ret_lost)
{
	const struct part_collective_class *found = NULL;
	struct named *all = mem_zalloc(x->class_count, sizeof(*all));
	struct named **of_class = list_named(x, all);

	for (size_t i = 0; i < x->queue_count; i++) {
		const struct instance_queue *q = &x->queues[i];
		const struct named *n = of_class[q->class];
		const uint64_t lost = queue_lost(q);

		/* Who has as many as anybody lacks none: they are no group. */
		if (lost && n && n->queues >= LEAST_RANKS && q->count == n->longest)
			found = found ? found : x->classes[q->class].is;
		else if (ret_lost)
			ret_lost[q->member] += lost;
	}
	free(of_class);
	free(all);
	return found;
}

struct group_sizes *group_sizes_list(const struct instances *x, size_t *ret_count)
{
	struct group_sizes *all = mem_zalloc(x->class_count, sizeof(*all));
	struct idmap numbers = {0};

	*ret_count = 0;
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		struct group_sizes *s;
		uint32_t at;

		if (!c->is_group || c->queue_count < 2)
			continue;
		at = idmap_add(&numbers, (uint64_t)(uintptr_t)c->is, (uint32_t)*ret_count);
		s = &all[at];
		if (at == *ret_count) {
			*s = (struct group_sizes){.is = c->is, .least = c->queue_count, .first = c};
			++*ret_count;
		}
		s->groups++;
		s->least = c->queue_count < s->least ? c->queue_count : s->least;
		s->most = c->queue_count > s->most ? c->queue_count : s->most;
	}
	idmap_free(&numbers);
	return all;
}

bool misfits_uneven(const struct instances *x, struct group_sizes *ret)
{
	size_t count;
	struct group_sizes *all = group_sizes_list(x, &count);
	bool found = false;

	for (size_t i = 0; i < count && !found; i++) {
		found = all[i].least != all[i].most;
		*ret = all[i];
	}
	free(all);
	return found;
}

bool misfits_any(const struct instances *x)
{
	struct group_sizes sizes;

	return misfits_find(x, NULL) || misfits_uneven(x, &sizes);
}
