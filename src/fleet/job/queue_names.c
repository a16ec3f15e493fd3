/* Are kernels of two queues of the same step by the names that the program gives to steps? */
#include "fleet/job/queue_names.h"
#include "fleet/job/kernel_step.h"

enum { ASKED = 64 }; /* kernels */

static const double odd = 0.1; /* of them at most may be of other steps */

/* PART_NO_NUMBER: no name says it. */
static uint32_t said_step(const struct queue_pair *p, const struct instance_queue *q, int64_t i)
{
	const struct part_member *m = p->job->members[q->member].is;
	uint32_t number;

	if (m->steps_said == PART_NO_NUMBER || !m->step_count)
		return PART_NO_NUMBER;
	number = kernel_step(m, &m->collectives[q->kernels[i]]);
	return number == PART_NO_NUMBER ? number : m->steps_said + (number - m->steps[0].number);
}

enum queue_names queue_names_at(const struct queue_pair *p, int64_t place)
{
	const int64_t first = place < 0 ? -place : 0, of_a = (int64_t)p->a->count - place;
	const int64_t end = of_a < (int64_t)p->b->count ? of_a : (int64_t)p->b->count;
	const int64_t each = end - first > ASKED ? (end - first) / ASKED : 1;
	size_t known = 0, other = 0;

	for (int64_t i = first; i < end; i += each) {
		const uint32_t x = said_step(p, p->a, i + place), y = said_step(p, p->b, i);

		if (x == PART_NO_NUMBER || y == PART_NO_NUMBER)
			continue;
		known++;
		other += x != y;
	}
	if (!known)
		return NAMES_SILENT;
	return (double)other > odd * (double)known ? NAMES_DIFFER : NAMES_AGREE;
}

/* The first kernel of the first step of b that is there from its beginning; false: there is none.
 */
static bool find_step(const struct queue_pair *p, size_t *ret)
{
	const uint32_t before = said_step(p, p->b, 0);

	for (size_t i = 1; i < p->b->count; i++) {
		const uint32_t step = said_step(p, p->b, (int64_t)i);

		if (step == PART_NO_NUMBER || step == before)
			continue;
		*ret = i;
		return true;
	}
	return false;
}

bool queue_names_find(const struct queue_pair *p, int64_t *ret)
{
	size_t j;

	if (!find_step(p, &j))
		return false;
	for (size_t i = 0; i < p->a->count; i++) {
		if (said_step(p, p->a, (int64_t)i) != said_step(p, p->b, (int64_t)j))
			continue;
		*ret = (int64_t)i - (int64_t)j;
		return queue_names_at(p, *ret) == NAMES_AGREE;
	}
	return false;
}
