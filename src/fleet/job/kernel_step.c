/* Which step is a communication kernel of? */
#include "fleet/job/kernel_step.h"

#include "base/bisect.h"

/* The step that its host was in; PART_NO_NUMBER: in none, or it did not launch what is asked about.
 */
static uint32_t step_of_host(const struct part_member *m, int64_t at_ns)
{
	const size_t after = BISECT(0, m->step_count, at, m->steps[at].start_ns <= at_ns);

	return after && at_ns < m->steps[after - 1].end_ns ? m->steps[after - 1].number
							   : PART_NO_NUMBER;
}

uint32_t kernel_step(const struct part_member *m, const struct part_collective *k)
{
	const int64_t at_ns = k->launched_ns == PART_UNKNOWN ? k->start_ns : k->launched_ns;
	const size_t after = BISECT(0, m->step_count, at, m->steps[at].from_ns <= at_ns);
	const uint32_t by_host =
		k->launched_ns == PART_UNKNOWN ? PART_NO_NUMBER : step_of_host(m, k->launched_ns);

	if (by_host != PART_NO_NUMBER)
		return by_host;

	if (!after || at_ns >= m->steps[after - 1].to_ns)
		return PART_NO_NUMBER;
	return m->steps[after - 1].number;
}
