/* How much has each stage of a pipeline to do in a step? */
#include "fleet/stragglers/search.h"

#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum { STAGES_MAX = 256 }; /* no pipeline has more: labels that say so say nothing */

/* All of a step but what it waits for others, or has to transfer. */
static double work_of(const struct part_step *t)
{
	return (double)t->ns[MEMBER_COMPUTE] + (double)t->ns[MEMBER_COPY] +
	       (double)t->ns[MEMBER_IDLE];
}

/* Of a member, by step; NAN where it has none. */
static void list_work(const struct stragglers *s, uint32_t member, double *ret)
{
	const struct part_member *m = s->job->members[member].is;

	for (size_t k = 0; k < s->steps; k++)
		ret[k] = NAN;
	for (size_t i = m->first_warm; i < m->first_warm + m->warm_count; i++) {
		const uint32_t at = steps_at(s, member, &m->steps[i]);

		if (at != NOBODY)
			ret[at] = work_of(&m->steps[i]);
	}
}

static double mean_work(const struct part_member *m)
{
	double sum = 0;

	for (size_t i = m->first_warm; i < m->first_warm + m->warm_count; i++)
		sum += work_of(&m->steps[i]);
	return sum / member_steps(m);
}

/*
 * Of the ranks of a stage the one in the middle, the lower of two: one that is slow among others
 * that do the same is told by itself, and is not the stage.
 */
static uint32_t middle_member(const struct stragglers *s, const int64_t *keys, uint32_t role,
			      uint32_t *ret_members)
{
	const size_t n = s->job->member_count;
	int64_t *own = mem_alloc(n, sizeof(*own));
	uint32_t *who = mem_alloc(n, sizeof(*who)), *order, middle, count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (s->replay.roles.of[i] != role)
			continue;
		own[count] = keys[i];
		who[count++] = i;
	}
	order = sort_new_order(own, count);
	middle = count ? who[order[(count - 1) / 2]] : 0;
	free(order);
	free(who);
	free(own);
	*ret_members = count;
	return middle;
}

/* Steps that all stages have say what each has to do. */
static void sum_common(struct stages *x, size_t steps)
{
	for (size_t k = 0; k < steps; k++) {
		bool all = true;

		for (uint32_t i = 0; i < x->count; i++)
			all &= !isnan(x->all[i].by_step[k]);
		x->steps += all;
		for (uint32_t i = 0; i < x->count; i++) {
			if (all)
				x->all[i].work_ns += x->all[i].by_step[k];
			else
				x->all[i].by_step[k] = NAN;
		}
	}
	for (uint32_t i = 0; i < x->count && x->steps; i++)
		x->all[i].work_ns /= (double)x->steps;
}

static void sum_times(const struct stragglers *s, const struct stages *x, struct stage *g)
{
	const struct part_member *m = s->job->members[g->member].is;

	for (size_t i = m->first_warm; i < m->first_warm + m->warm_count; i++) {
		const uint32_t at = steps_at(s, g->member, &m->steps[i]);

		for (int t = 0; t < MEMBER_TIMES && at != NOBODY && !isnan(g->by_step[at]); t++)
			g->ns[t] += (double)m->steps[i].ns[t] / (double)x->steps;
	}
}

void stages_measure(const struct stragglers *s, struct stages *ret)
{
	const struct roles *roles = &s->replay.roles;
	int64_t *keys;

	*ret = (struct stages){0};
	if (!roles->stage || !s->replay.count || roles->count > STAGES_MAX)
		return;
	keys = mem_alloc(s->job->member_count, sizeof(*keys));
	for (size_t i = 0; i < s->job->member_count; i++)
		keys[i] = sort_key_of_double(mean_work(s->job->members[i].is));
	ret->count = roles->count;
	ret->all = mem_zalloc(ret->count, sizeof(*ret->all));
	for (uint32_t i = 0; i < ret->count; i++) {
		struct stage *g = &ret->all[i];

		g->number = roles->stage[i];
		g->member = middle_member(s, keys, i, &g->members);
		g->by_step = mem_alloc(s->steps, sizeof(*g->by_step));
		list_work(s, g->member, g->by_step);
	}
	free(keys);
	sum_common(ret, s->steps);
	for (uint32_t i = 0; i < ret->count && ret->steps; i++)
		sum_times(s, ret, &ret->all[i]);
	if (!ret->steps)
		stages_free(ret);
}

void stages_free(struct stages *x)
{
	for (uint32_t i = 0; i < x->count; i++)
		free(x->all[i].by_step);
	free(x->all);
	*x = (struct stages){0};
}
