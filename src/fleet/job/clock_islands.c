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

/* Those of a machine, by part, from `first` on, which are no more open then; returns how many. */
static size_t take_machine(const struct job *j, uint32_t first, bool *open, uint32_t *ret)
{
	size_t count = 0;

	for (uint32_t i = first; i < j->part_count; i++) {
		if (!open[i] || j->parts[i].part->node != j->parts[first].part->node)
			continue;
		open[i] = false;
		ret[count++] = i;
	}
	return count;
}

/* How far captures of a machine are from its UTC, as far as their clocks agree. */
struct machine_clocks {
	int64_t usual_ns; /* beyond UTC */
	double extent_ns; /* from the first to the last of them */
	double least_ns;  /* what is farther from the usual one is at another step */
	bool agree, most_agree;
};

static struct machine_clocks compare_clocks(const struct job *j, const uint32_t *parts,
					    size_t count)
{
	int64_t *ns = mem_alloc(count, sizeof(*ns)), *scratch = mem_alloc(count, sizeof(*scratch));
	struct machine_clocks m = {.least_ns = half_step_ns(j->parts[parts[0]].part)};
	size_t agree = 0;

	for (size_t i = 0; i < count; i++)
		ns[i] = beyond_utc(j, parts[i]);
	sort_i64(ns, scratch, count);
	m.usual_ns = ns[count / 2];
	m.extent_ns = far_from(ns[count - 1], ns[0]);
	for (size_t i = 0; i < count; i++)
		agree += far_from(ns[i], m.usual_ns) <= m.least_ns;
	m.agree = agree == count;
	m.most_agree = 2 * agree > count;
	free(scratch);
	free(ns);
	return m;
}

/* By how much a part may be at another step; 0: it agrees with most. */
static double steps_off(const struct job *j, const struct machine_clocks *m, uint32_t part)
{
	const double far_ns =
		m->most_agree ? far_from(beyond_utc(j, part), m->usual_ns) : m->extent_ns;

	return far_ns > m->least_ns ? far_ns : 0;
}

/* Nothing but itself is known against its clock. */
static bool is_reference(const struct job *j, uint32_t part)
{
	return j->parts[part].clock.uncertainty_ns == 0;
}

static void doubt(struct job_clock *c, uint32_t island, double ns)
{
	c->island = island;
	c->steps_ns += ns;
	c->uncertainty_ns += ns;
	c->likely_ns += ns;
}

/*
 * Each that is off is an island. Where the reference is, that most agree says nothing of how far
 * they are from it: they are one island, beside it.
 */
static void part_machine(struct job *j, const uint32_t *parts, size_t count)
{
	const struct machine_clocks m = compare_clocks(j, parts, count);
	double reference_ns = 0;

	for (size_t i = 0; i < count && m.most_agree; i++) {
		if (is_reference(j, parts[i]))
			reference_ns = steps_off(j, &m, parts[i]);
	}
	for (size_t i = 0; i < count && !m.agree; i++) {
		const double far_ns = steps_off(j, &m, parts[i]);

		if (is_reference(j, parts[i]) || far_ns + reference_ns <= 0)
			continue;
		/* Numbers of islands that were found are those of parts. */
		doubt(&j->parts[parts[i]].clock,
		      (uint32_t)j->part_count + (far_ns > 0 ? 1 + parts[i] : 0),
		      far_ns + reference_ns);
	}
}

void islands_part_machines(struct job *j)
{
	uint32_t *parts = mem_alloc(j->part_count, sizeof(*parts));
	bool *open = mem_alloc(j->part_count, sizeof(*open));

	for (uint32_t i = 0; i < j->part_count; i++)
		open[i] = is_by_name(&j->parts[i]);
	for (uint32_t i = 0; i < j->part_count; i++) {
		if (open[i])
			part_machine(j, parts, take_machine(j, i, open, parts));
	}
	free(open);
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
