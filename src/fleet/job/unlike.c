/* Do two ranks run the same program at the same pace? */
#include "fleet/job/unlike.h"

#include "base/mem.h"
#include "base/sort.h"
#include "text/units.h"

#include <math.h>
#include <stdlib.h>

/* Of a step: ranks of one job wait for each other, and take as long. */
static const double pace = 0.05;

/* Of each type those of the warm steps, for each of these. */
static void count_types(const struct part_member *m, double *ret)
{
	for (size_t i = 0; i < m->collective_count; i++) {
		const struct part_collective *c = &m->collectives[i];

		if (c->start_ns >= m->window.start_ns && c->start_ns < m->window.end_ns)
			ret[m->classes[c->class].type] += 1.0 / (double)m->warm_count;
	}
}

static bool has_counts(const struct part_member *m)
{
	return m->window_kind == PART_WARM_STEPS && m->warm_count && !m->collectives_before &&
	       !m->collectives_after;
}

static bool have_other_collectives(const struct part_member *a, const struct part_member *b,
				   struct buf *why)
{
	double x[COLL_TYPES] = {0}, y[COLL_TYPES] = {0};

	if (!has_counts(a) || !has_counts(b))
		return false;
	count_types(a, x);
	count_types(b, y);
	for (int i = 0; i < COLL_TYPES; i++) {
		/* One that is cut off at the end of the window is none. */
		if (fabs(x[i] - y[i]) < 0.5)
			continue;
		buf_addf(why, "the first has %.0f %s a step, the second %.0f", x[i],
			 collective_type_name((enum collective_type)i), y[i]);
		return true;
	}
	return false;
}

static double usual_step_ns(const struct part_member *m)
{
	int64_t *ns = mem_alloc(m->warm_count, sizeof(*ns));
	int64_t *scratch = mem_alloc(m->warm_count, sizeof(*scratch));
	const size_t middle = m->warm_count / 2;
	double result;

	for (size_t i = 0; i < m->warm_count; i++)
		ns[i] = part_step_ns(&m->steps[m->first_warm + i]);
	sort_i64(ns, scratch, m->warm_count);
	result = (double)ns[middle];
	free(scratch);
	free(ns);
	return result;
}

static bool have_other_steps(const struct part_member *a, const struct part_member *b,
			     struct buf *why)
{
	double x, y;

	if (!has_counts(a) || !has_counts(b))
		return false;
	x = usual_step_ns(a);
	y = usual_step_ns(b);
	if (fabs(x - y) <= pace * fmax(x, y))
		return false;
	buf_adds(why, "steps of the first take ");
	units_add_ns(why, x);
	buf_adds(why, ", those of the second ");
	units_add_ns(why, y);
	return true;
}

bool unlike_find(const struct part_member *a, const struct part_member *b, struct buf *why)
{
	return have_other_collectives(a, b, why) || have_other_steps(a, b, why);
}
