/* What would a step be shorter, were a straggler like the others? */
#include "base/mem.h"
#include "fleet/job/straggler_search.h"

#include <stdlib.h>

/* What ranks compute in a step that share a GPU, of a straggler and others. */
struct shared {
	double own_ns, others_ns;
	size_t own, others;
};

static struct shared sum_shared(const struct stragglers *s, const struct straggler *g, uint64_t gpu)
{
	struct shared sum = {0};

	for (uint32_t i = 0; i < s->job->member_count && gpu; i++) {
		const struct part_member *m = s->job->members[i].is;
		const double ns = (double)m->window_ns[MEMBER_COMPUTE] / member_steps(m);

		if (s->job->members[i].gpu != gpu)
			continue;
		if (straggler_has(g, i)) {
			sum.own_ns += ns;
			sum.own++;
		} else {
			sum.others_ns += ns;
			sum.others++;
		}
	}
	return sum;
}

/* Held up by what it computes, a rank leaves the others nothing of their GPU. */
static bool leaves_more(const struct shared *x)
{
	return x->own && x->others && x->others_ns > 0 &&
	       x->own_ns / (double)x->own <= slower * x->others_ns / (double)x->others;
}

double saved_of_step(const struct stragglers *s, const struct replay_change *c)
{
	return replay_saved_share(&s->replay, c) * s->step_ns;
}

/*
 * While a rank is held up by its host, those that share its GPU have more of it; were it on time,
 * all of them would take longer: `stretch` by member. Returns what they compute one after another,
 * on the GPU that has most of that; 0: nobody would take longer.
 */
static double share_out(const struct stragglers *s, struct straggler *g, double *stretch)
{
	double most_ns = 0;

	for (uint32_t i = 0; i < s->job->member_count; i++)
		stretch[i] = 1;
	for (uint32_t k = 0; k < g->members; k++) {
		const uint64_t gpu = s->job->members[g->who[k]].gpu;
		const struct shared shared = sum_shared(s, g, gpu);

		g->shares_gpu |= shared.others > 0;
		if (!leaves_more(&shared))
			continue;
		most_ns = fmax(most_ns, shared.own_ns + shared.others_ns);
		for (uint32_t i = 0; i < s->job->member_count; i++) {
			if (s->job->members[i].gpu == gpu)
				stretch[i] = 1 + shared.own_ns / shared.others_ns;
		}
	}
	return most_ns;
}

/* What is saved lies between what is left where nothing overlaps on a GPU, and the replay. */
void straggler_replay(const struct stragglers *s, struct straggler *g)
{
	const bool is_ranks = g->kind == STRAGGLER_RANK || g->kind == STRAGGLER_SET;
	bool *usual = mem_zalloc(s->job->member_count, sizeof(*usual));
	double *stretch = mem_alloc(s->job->member_count, sizeof(*stretch));
	const double computed_ns = is_ranks ? share_out(s, g, stretch) : 0;
	const struct replay_change change = {.usual_lags = usual,
					     .stretch = is_ranks ? stretch : NULL};

	for (uint32_t i = 0; i < g->members; i++)
		usual[g->who[i]] = true;
	g->step_ns = s->step_ns;
	g->saved_ns = g->saved_least_ns = g->saved_most_ns = saved_of_step(s, &change);
	if (computed_ns > 0) {
		g->saved_least_ns = fmin(fmax(s->step_ns - computed_ns, 0), g->saved_most_ns);
		g->saved_ns = (g->saved_least_ns + g->saved_most_ns) / 2;
	}
	free(stretch);
	free(usual);
}
