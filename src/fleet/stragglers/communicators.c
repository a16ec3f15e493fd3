/* Which communicators' transfers take longer than those of others that do the same? */
#include "analysis/numbers/chance.h"
#include "base/mem.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

/* What the transfer of a visit takes longer than the usual one, on the rank with the shortest. */
static double excess_of(const struct stragglers *s, const struct replay_visit *v)
{
	int64_t shortest_ns = INT64_MAX;

	for (uint32_t k = v->first; k < v->first + v->count; k++) {
		if (s->replay.stops[k].transfer_ns < shortest_ns)
			shortest_ns = s->replay.stops[k].transfer_ns;
	}
	return (double)sat_sub(shortest_ns, v->usual_transfer_ns);
}

void transfers_by_step(const struct stragglers *s, uint32_t class, double *ns, bool *met)
{
	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];

		if (v->class != class || s->step_of[i] == NOBODY)
			continue;
		ns[s->step_of[i]] += excess_of(s, v);
		met[s->step_of[i]] = true;
	}
}

struct transfers {
	uint64_t visits, slow;
	double excess_ns;
};

/* By class; the caller frees them. */
static struct transfers *sum_transfers(const struct stragglers *s)
{
	struct transfers *sums = mem_zalloc(s->x->class_count, sizeof(*sums));

	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];
		const double excess_ns = excess_of(s, v);
		struct transfers *t = &sums[v->class];

		t->visits++;
		t->slow += excess_ns > (slower - 1) * (double)v->usual_transfer_ns;
		t->excess_ns += excess_ns;
	}
	return sums;
}

static const uint32_t *members_of(struct stragglers *s, const struct instance_class *c)
{
	uint32_t *who = arena_alloc(&s->arena, c->queue_count, sizeof(*who));

	for (size_t i = 0; i < c->queue_count; i++)
		who[i] = s->x->queues[c->first_queue + i].member;
	return who;
}

static void try_class(struct stragglers *s, uint32_t class, struct transfers t, bool *usual)
{
	const struct instance_class *c = &s->x->classes[class];
	const struct replay_change change = {.usual_transfers = usual};
	struct straggler g = {.kind = STRAGGLER_COMMUNICATOR,
			      .number = class,
			      .example = s->x->queues[c->first_queue].member,
			      .step_ns = s->step_ns,
			      .late_ns = t.excess_ns / (double)s->steps,
			      .cause_ns = t.excess_ns / (double)s->steps,
			      .cause = SLOW_BY_NETWORK,
			      .last = t.slow,
			      .of = t.visits};

	if (!t.visits || !is_worth(s, g.late_ns) ||
	    chance_at_least(t.visits, t.slow, 0.5) * (double)s->x->class_count > luck)
		return;
	usual[class] = true;
	g.saved_ns = saved_of_step(s, &change);
	usual[class] = false;
	if (!is_worth(s, g.saved_ns))
		return;
	g.who = members_of(s, c);
	g.members = (uint32_t)c->queue_count;
	stragglers_add(s, &g);
}

void suspects_try_communicators(struct stragglers *s)
{
	bool *usual = mem_zalloc(s->x->class_count, sizeof(*usual));
	struct transfers *sums = sum_transfers(s);

	for (uint32_t i = 0; i < s->x->class_count; i++)
		try_class(s, i, sums[i], usual);
	free(sums);
	free(usual);
}
