/* Who makes the job's steps longer? */
#include "fleet/stragglers/stragglers.h"

#include "base/bisect.h"
#include "base/mem.h"
#include "fleet/job/clock_islands.h"
#include "fleet/job/misfits.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

double member_steps(const struct part_member *m)
{
	return m->warm_count ? (double)m->warm_count : 1;
}

bool straggler_has(const struct straggler *g, uint32_t member)
{
	const size_t at = BISECT(0, g->members, i, g->who[i] < member);

	return at < g->members && g->who[at] == member;
}

void stragglers_add(struct stragglers *s, const struct straggler *g)
{
	s->all = mem_resize(s->all, s->count + 1, sizeof(*s->all));
	s->all[s->count++] = *g;
}

/* Whether what it, or each of its ranks, is late for is seen in their own accounts. */
static bool has_reason(const struct straggler *g)
{
	if (g->kind == STRAGGLER_COMMUNICATOR)
		return true;
	for (uint32_t i = 0; g->each && i < g->members; i++) {
		if (g->each[i].cause == SLOW_BY_WHAT)
			return false;
	}
	return g->each || g->cause != SLOW_BY_WHAT;
}

/*
 * When and why; one whose cause turns out to cost too little is none. Nor is one that comes last
 * and has nothing that takes longer: clocks may be wrong, or it waits for what no capture shows.
 */
static void explain_all(struct stragglers *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		straggler_find_pattern(s, &s->all[i]);
		straggler_explain(s, &s->all[i]);
		if (has_reason(&s->all[i]) && is_worth(s, s->all[i].saved_ns))
			s->all[kept++] = s->all[i];
	}
	s->count = kept;
}

/* Whether ranks that send to each other are not on one clock: their waits are not replayed. */
static bool is_blind(const struct job *j, const struct instances *x)
{
	for (size_t i = 0; i < x->class_count; i++) {
		const struct instance_class *c = &x->classes[i];
		const struct instance_queue *q = &x->queues[c->first_queue];

		if (c->is->type == COLL_SEND_RECV && c->queue_count == 2 &&
		    (!j->parts[j->members[q[0].member].part].clock.known ||
		     !j->parts[j->members[q[1].member].part].clock.known))
			return true;
	}
	return false;
}

void stragglers_find(const struct job *j, const struct instances *x, struct stragglers *ret)
{
	*ret = (struct stragglers){.job = j, .x = x};
	delays_sum(ret);
	ret->groups_misfit = misfits_any(x);
	ret->in_doubt = islands_are_apart(j) || is_blind(j, x);
	if (ret->in_doubt)
		return;
	suspects_try(ret, STRAGGLER_RANK);
	suspects_try_sets(ret);
	suspects_try(ret, STRAGGLER_NODE);
	suspects_try(ret, STRAGGLER_RAIL);
	suspects_try_communicators(ret);
	stragglers_choose(ret);
	explain_all(ret);
	suspects_try_stages(ret);
	if (!ret->count)
		suspects_doubt(ret);
}

void stragglers_free(struct stragglers *s)
{
	replay_free(&s->replay);
	free(s->step_shift);
	free(s->step_of);
	free(s->late_ns);
	free(s->usual_late_ns);
	free(s->latest);
	free(s->was_in);
	free(s->wait_ns);
	free(s->last);
	free(s->all);
	arena_free(&s->arena);
	*s = (struct stragglers){0};
}
