/* Which of the ranks of one trace make the steps of the others longer? */
#include "fleet/late/trace_stragglers.h"

#include "fleet/job/clocks.h"

int trace_stragglers_find(struct trace_stragglers *ret, struct trace *t, const struct scope *scope,
			  struct err *e)
{
	const struct part_question q = {.file = "", .scope = *scope};

	*ret = (struct trace_stragglers){.parts = {&ret->part}};
	if (part_make_ranks(&ret->part, t, &q, e) < 0 || job_make(ret->parts, 1, &ret->job, e) < 0)
		return -1;
	clocks_and_instances(&ret->job, &ret->met);
	stragglers_find(&ret->job, &ret->met, &ret->found);
	return 0;
}

void trace_stragglers_free(struct trace_stragglers *x)
{
	stragglers_free(&x->found);
	instances_free(&x->met);
	job_free(&x->job);
	part_free(&x->part);
}

static void add_turn(const struct stragglers *s, size_t visit, struct straggler_turns *t)
{
	const struct replay_visit *v = &s->replay.visits[visit];
	int64_t first_ns = v->last_ns;

	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		const int64_t enter_ns = s->replay.stops[i].is.enter_ns;

		first_ns = enter_ns < first_ns ? enter_ns : first_ns;
	}
	t->last++;
	t->wait_ns += (double)s->wait_ns[visit];
	t->late_ns += (double)sat_sub(v->last_ns, first_ns);
}

static bool takes_part(const struct stragglers *s, const struct straggler *g,
		       const struct replay_visit *v)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		if (straggler_has(g, s->replay.stops[i].is.member))
			return true;
	}
	return false;
}

struct straggler_turns straggler_count_turns(const struct stragglers *s, const struct straggler *g)
{
	struct straggler_turns t = {0};

	for (size_t i = 0; i < s->replay.count; i++) {
		if (!takes_part(s, g, &s->replay.visits[i]))
			continue;
		t.of++;
		if (s->last[i] != UINT32_MAX && straggler_has(g, s->last[i]))
			add_turn(s, i, &t);
	}
	return t;
}
