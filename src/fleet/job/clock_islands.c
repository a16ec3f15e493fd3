/* Which captures are known against each other beyond a whole step? */
#include "fleet/job/clock_islands.h"

#include "base/mem.h"
#include "base/sets.h"
#include "base/sort.h"

#include <stdlib.h>

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

/* Half of one: what is farther away is at another. Infinity: it has none. */
static double half_step_ns(const struct part *p)
{
	const struct part_member *m = p->members;

	if (!p->member_count || !m->step_count)
		return INFINITY;
	return (double)sat_sub(m->steps[m->step_count - 1].to_ns, m->steps[0].from_ns) /
	       (2 * (double)m->step_count);
}

/* Whether names of kernels alone set its clock, and that of its machine may contradict it. */
static bool is_by_name(const struct job_part *p)
{
	return p->clock.known && !p->clock.by_utc && p->part->node &&
	       p->part->utc_ns != PART_UNKNOWN && !part_names_communicators(p->part);
}

/* By how much the job's clock is beyond UTC, in the middle of a capture. */
static int64_t beyond_utc(const struct job *j, uint32_t part)
{
	const struct part *p = j->parts[part].part;
	const int64_t at_ns = span_middle(p->captured);

	return sat_sub(sat_sub(job_time(j, part, at_ns), at_ns), p->utc_ns);
}

static double far_from(int64_t a, int64_t b)
{
	return fabs((double)a - (double)b);
}

/* Those of a machine, by part, from `first` on; returns how many. */
static size_t list_machine(const struct job *j, uint32_t first, uint32_t *ret)
{
	size_t count = 0;

	for (uint32_t i = first; i < j->part_count; i++) {
		if (is_by_name(&j->parts[i]) &&
		    j->parts[i].part->node == j->parts[first].part->node)
			ret[count++] = i;
	}
	return count;
}

static void part_machine(struct job *j, const uint32_t *parts, size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns)), *scratch = mem_alloc(count, sizeof(*scratch));
	size_t agree = 0;
	const double least_ns = half_step_ns(j->parts[parts[0]].part);
	int64_t usual_ns;

	for (size_t i = 0; i < count; i++)
		ns[i] = beyond_utc(j, parts[i]);
	sort_i64(ns, scratch, count);
	usual_ns = ns[count / 2];
	for (size_t i = 0; i < count; i++)
		agree += far_from(ns[i], usual_ns) <= least_ns;
	for (size_t i = 0; i < count && agree < count; i++) {
		struct job_clock *c = &j->parts[parts[i]].clock;
		const double far_ns = 2 * agree > count
					      ? far_from(beyond_utc(j, parts[i]), usual_ns)
					      : (double)(ns[count - 1] - ns[0]);

		/* Against the reference's nothing but itself is known. */
		if (far_ns <= least_ns || c->uncertainty_ns == 0)
			continue;
		c->island = parts[i];
		c->steps_ns += far_ns;
		c->uncertainty_ns += far_ns;
		c->likely_ns += far_ns;
	}
	free(scratch);
	free(ns);
}

void islands_part_machines(struct job *j)
{
	uint32_t *parts = mem_alloc(j->part_count, sizeof(*parts));

	for (uint32_t i = 0; i < j->part_count; i++) {
		bool is_first = is_by_name(&j->parts[i]);

		for (uint32_t k = 0; k < i && is_first; k++)
			is_first = !is_by_name(&j->parts[k]) ||
				   j->parts[k].part->node != j->parts[i].part->node;
		if (is_first)
			part_machine(j, parts, list_machine(j, i, parts));
	}
	free(parts);
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
