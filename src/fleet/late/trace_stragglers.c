/* Which of the ranks of one trace make the steps of the others longer? */
#include "fleet/late/trace_stragglers.h"

#include "base/mem.h"
#include "fleet/job/clocks.h"
#include "fleet/peers.h"
#include "fleet/process_ranks.h"

#include <stdlib.h>

/* About the window that somebody chose; else it is found for each rank by itself. */
static struct scope scope_of(const struct scope *asked)
{
	struct scope s = {.marker = asked->marker, .label = asked->label, .span = asked->chosen};

	if (scope_is_trimmed(asked) || asked->in_iteration) {
		s.has_trim = true;
		s.from_ns = asked->from_ns;
		s.to_ns = asked->to_ns;
	}
	return s;
}

int trace_stragglers_find(struct trace_stragglers *ret, struct trace *t, const struct scope *scope,
			  struct err *e)
{
	const struct part_question q = {.file = "", .scope = scope_of(scope)};

	*ret = (struct trace_stragglers){.parts = {&ret->part}};
	if (part_make_ranks(&ret->part, t, &q, e) < 0)
		return -1;
	process_ranks_apply(&ret->part, 1);
	peers_apply(&ret->part, 1);
	if (job_make(ret->parts, 1, &ret->job, e) < 0)
		return -1;
	/* By clocks that may be wrong by steps kernels of different ones look like one. */
	if (t->steps_in_doubt) {
		ret->found = (struct stragglers){.job = &ret->job, .in_doubt = true};
		return 0;
	}
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

static bool takes_part(const struct stragglers *s, const struct straggler *g,
		       const struct replay_visit *v)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		if (straggler_has(g, s->replay.stops[i].is.member))
			return true;
	}
	return false;
}

/* Whether it came last in a collective, and anybody can tell. */
static bool came_last(const struct stragglers *s, const struct straggler *g, size_t visit)
{
	return s->last[visit] != UINT32_MAX && straggler_has(g, s->last[visit]);
}

struct straggler_turns straggler_count_turns(const struct stragglers *s, const struct straggler *g)
{
	struct straggler_turns t = {0};

	for (size_t i = 0; i < s->replay.count; i++) {
		if (!takes_part(s, g, &s->replay.visits[i]))
			continue;
		t.of++;
		if (!came_last(s, g, i))
			continue;
		t.last++;
		t.wait_ns += (double)s->wait_ns[i];
	}
	return t;
}

void straggler_add_waits(const struct stragglers *s, const struct straggler *g,
			 struct owned_spans *to)
{
	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];

		for (uint32_t k = v->first; came_last(s, g, i) && k < v->first + v->count; k++) {
			const struct replay_entry *is = &s->replay.stops[k].is;
			const int64_t ns = replay_wait_ns(v, is);

			if (ns)
				owned_spans_add(to, 0,
						(struct span){is->enter_ns, is->enter_ns + ns});
		}
	}
}

struct member_waits {
	double ns;
	uint64_t count;
};

/* Compute may hide the wait of a kernel or the rest of it: what the rest has room for, it has. */
static void add_stage_waits(const struct stragglers *s, const struct replay_visit *v,
			    struct member_waits *sums)
{
	for (uint32_t i = v->first; i < v->first + v->count; i++) {
		const struct replay_entry *is = &s->replay.stops[i].is;
		const int64_t wait_ns = replay_wait_ns(v, is);
		const int64_t rest_ns = sat_sub(sat_sub(is->leave_ns, is->enter_ns), wait_ns);

		if (is->kernel == REPLAY_NONE || is->exposed_ns <= rest_ns)
			continue;
		sums[is->member].ns += (double)sat_sub(is->exposed_ns, rest_ns);
		sums[is->member].count++;
	}
}

struct stage_waits stage_waits_sum(const struct stragglers *s)
{
	struct member_waits *sums = mem_zalloc(s->job->member_count, sizeof(*sums));
	struct stage_waits most = {.others_ns = INFINITY};

	for (size_t i = 0; i < s->replay.count && s->replay.roles.stage; i++) {
		if (s->replay.classes[s->replay.visits[i].class].type == COLL_SEND_RECV)
			add_stage_waits(s, &s->replay.visits[i], sums);
	}
	for (uint32_t i = 0; i < s->job->member_count; i++) {
		most.others_ns = fmin(most.others_ns, sums[i].ns);
		if (sums[i].ns <= most.wait_ns)
			continue;
		most.member = i;
		most.wait_ns = sums[i].ns;
		most.waits = sums[i].count;
	}
	free(sums);
	return most;
}
