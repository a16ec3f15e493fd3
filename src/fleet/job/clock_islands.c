/* Which captures are known against each other beyond a whole step? */
#include "fleet/job/clock_islands.h"

#include "base/sets.h"

static void join_class(const struct job *j, const struct instances *x,
		       const struct instance_class *c, uint32_t *islands)
{
	const struct instance_queue *first = NULL;

	for (size_t i = c->first_queue; i < c->first_queue + c->queue_count; i++) {
		const struct instance_queue *q = &x->queues[i];

		if (!q->matched || !q->run_count || q->doubt_ns > 0)
			continue;
		first = first ? first : q;
		sets_join(islands, j->members[first->member].part, j->members[q->member].part);
	}
}

uint32_t *islands_find(const struct job *j, const struct instances *x)
{
	uint32_t *islands = sets_new(j->part_count);

	for (size_t i = 0; i < x->class_count; i++) {
		if (!x->classes[i].leaves_early)
			join_class(j, x, &x->classes[i], islands);
	}
	return islands;
}

bool islands_are_apart(const struct job *j)
{
	for (size_t i = 0; i < j->part_count; i++) {
		if (j->parts[i].clock.known && j->parts[i].clock.steps_ns > 0)
			return true;
	}
	return false;
}

bool islands_share(const struct job *j, const struct instances *x, const struct instance_class *c)
{
	const uint32_t first = j->members[x->queues[c->first_queue].member].part;

	for (size_t i = c->first_queue; i < c->first_queue + c->queue_count; i++) {
		if (job_steps_doubt_ns(j, first, j->members[x->queues[i].member].part) > 0)
			return true;
	}
	return false;
}
