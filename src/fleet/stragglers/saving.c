/* What would a step be shorter, were a straggler like the others? */
#include "analysis/replay/replay_saving.h"
#include "base/mem.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

double saved_of_step(const struct stragglers *s, const struct replay_change *c)
{
	return replay_saved_share(&s->replay, c) * s->step_ns;
}

/* Of a step. */
static struct replay_place *list_places(const struct stragglers *s)
{
	struct replay_place *places = mem_alloc(s->job->member_count, sizeof(*places));

	for (size_t i = 0; i < s->job->member_count; i++) {
		const struct job_member *m = &s->job->members[i];

		places[i] = (struct replay_place){m->gpu, (double)m->is->window_ns[MEMBER_COMPUTE] /
								  member_steps(m->is)};
	}
	return places;
}

static void replay_without(struct stragglers *s, const struct straggler *g,
			   const struct replay_place *places, struct replay_saving *ret)
{
	int64_t *lags = lags_without(s, g->who, g->members);

	replay_save(&s->replay, g->who, g->members, lags, places, s->step_ns, ret);
	free(lags);
}

double straggler_costs_alone(struct stragglers *s, const struct straggler *g)
{
	struct replay_saving saving;

	replay_without(s, g, NULL, &saving);
	return saving.saved_ns;
}

void straggler_replay(struct stragglers *s, struct straggler *g)
{
	const bool is_ranks = g->kind == STRAGGLER_RANK || g->kind == STRAGGLER_SET;
	struct replay_place *places = is_ranks ? list_places(s) : NULL;
	struct replay_saving saving;

	replay_without(s, g, places, &saving);
	g->step_ns = s->step_ns;
	g->shares_gpu = saving.shares_gpu;
	g->saved_ns = saving.saved_ns;
	g->saved_least_ns = saving.least_ns;
	g->saved_most_ns = saving.most_ns;
	free(places);
}
