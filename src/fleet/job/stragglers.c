/* Who makes the job's steps longer? */
#include "fleet/job/stragglers.h"

#include "analysis/numbers/chance.h"
#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

#include <stdlib.h>

enum {
	TRIED = 16, /* ranks, nodes, … with the longest delays of their own, that are replayed */
	NAMED = 8,
	CELLS_MAX = 1 << 26, /* members by steps */
};

#define NOBODY UINT32_MAX

static const double worth = 0.01;		 /* of a step */
static const double counts[] = {0.9, 0.75, 0.5}; /* of all delays, in steps to look at */
static const double luck =
	0.01; /* that somebody is the slowest so often by chance: three kinds are tried */
static const double more = 1.5;	   /* a group saves than the slowest of its ranks, to be named */
static const double slower = 1.05; /* transfers than elsewhere, to be looked at */

double member_steps(const struct part_member *m)
{
	return m->warm_count ? (double)m->warm_count : 1;
}

bool straggler_has(const struct stragglers *s, const struct straggler *g, uint32_t member)
{
	const struct job_member *m = &s->job->members[member];

	switch (g->kind) {
	case STRAGGLER_RANK:
		return member == g->number;
	case STRAGGLER_NODE:
		return m->node == g->number;
	case STRAGGLER_RAIL:
		return m->local == g->number;
	default:
		break;
	}
	for (size_t i = 0; i < s->x->classes[g->number].queue_count; i++) {
		if (s->x->queues[s->x->classes[g->number].first_queue + i].member == member)
			return true;
	}
	return false;
}

static void find_window(struct stragglers *s)
{
	s->window = (struct span){INT64_MIN, INT64_MAX};
	for (size_t i = 0; i < s->job->member_count; i++) {
		const struct job_member *m = &s->job->members[i];
		const struct span own = {job_time(s->job, m->part, m->is->window.start_ns),
					 job_time(s->job, m->part, m->is->window.end_ns)};

		if (m->is->collective_count && s->job->parts[m->part].clock.known)
			s->window = span_common(s->window, own);
	}
}

/* The step that launched a kernel; NOBODY: none of the member's. */
static uint32_t step_of_kernel(const struct part_member *m, const struct part_collective *k)
{
	const int64_t at_ns = k->launched_ns == PART_UNKNOWN ? k->start_ns : k->launched_ns;
	const size_t after = BISECT(0, m->step_count, at, m->steps[at].from_ns <= at_ns);

	if (!after || at_ns >= m->steps[after - 1].to_ns)
		return NOBODY;
	return m->steps[after - 1].number;
}

static void number_steps(struct stragglers *s)
{
	const struct replay *r = &s->replay;
	uint32_t first = NOBODY, last = 0;

	s->step_of = mem_alloc(r->count, sizeof(*s->step_of));
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_stop *stop = &r->stops[r->visits[i].first];
		const struct part_member *m = s->job->members[stop->member].is;
		const uint32_t step = step_of_kernel(m, &m->collectives[stop->kernel]);

		s->step_of[i] = step;
		if (step == NOBODY)
			continue;
		first = step < first ? step : first;
		last = step > last ? step : last;
	}
	s->first_step = first == NOBODY ? 0 : first;
	s->steps = first == NOBODY ? 1 : (size_t)(last - first) + 1;
	/* Numbers of a bad part may be anything: there is a cell for each member and step. */
	if (s->steps > CELLS_MAX / s->job->member_count)
		s->steps = CELLS_MAX / s->job->member_count;
	for (size_t i = 0; i < r->count; i++) {
		if (first == NOBODY)
			s->step_of[i] = 0;
		else if (s->step_of[i] != NOBODY)
			s->step_of[i] =
				s->step_of[i] - first < s->steps ? s->step_of[i] - first : NOBODY;
	}
}

/* The usual step of the usual rank. */
static double usual_step(const struct stragglers *s)
{
	const size_t n = s->job->member_count;
	int64_t *ns = mem_alloc(n, sizeof(*ns)), *scratch = mem_alloc(n, sizeof(*scratch));
	int64_t usual_ns;

	for (size_t i = 0; i < n; i++) {
		const struct part_member *m = s->job->members[i].is;

		ns[i] = sat_of_double((double)span_ns(m->window) / member_steps(m));
	}
	sort_i64(ns, scratch, n);
	usual_ns = ns[n / 2];
	free(scratch);
	free(ns);
	return usual_ns > 0 ? (double)usual_ns : 1;
}

/* By member and step: what it took longer than usual since its collective before. */
static void sum_delays(struct stragglers *s)
{
	const struct replay *r = &s->replay;

	s->late_ns = mem_zalloc(s->job->member_count * s->steps, sizeof(*s->late_ns));
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];

		for (uint32_t k = v->first; k < v->first + v->count && s->step_of[i] != NOBODY;
		     k++) {
			const struct replay_stop *stop = &r->stops[k];

			if (stop->before != UINT32_MAX)
				s->late_ns[stop->member * s->steps + s->step_of[i]] +=
					(double)sat_sub(stop->lag_ns, stop->usual_lag_ns);
		}
	}
}

static uint32_t last_stop(const struct replay_visit *v, const struct replay_stop *stops)
{
	uint32_t last = 0;

	for (uint32_t i = 1; i < v->count; i++)
		last = stops[i].enter_ns > stops[last].enter_ns ? i : last;
	return last;
}

/*
 * Whether all of a group surely came after all others: by more than the clocks may be wrong; or,
 * without any clock, as they are in it for a shorter time than these, by more than all leave it
 * apart.
 */
static bool is_last(const struct stragglers *s, const struct replay_visit *v,
		    const struct straggler *g)
{
	const struct replay_stop *stops = &s->replay.stops[v->first], *early = NULL, *late = NULL;
	int64_t first_ns = INT64_MAX, end_ns = INT64_MIN, shortest_ns = INT64_MAX, longest_ns = 0;

	for (uint32_t i = 0; i < v->count; i++) {
		const struct replay_stop *x = &stops[i];
		const int64_t own_ns = sat_sub(x->leave_ns, x->enter_ns);

		first_ns = x->leave_ns < first_ns ? x->leave_ns : first_ns;
		end_ns = x->leave_ns > end_ns ? x->leave_ns : end_ns;
		if (straggler_has(s, g, x->member)) {
			early = !early || x->enter_ns < early->enter_ns ? x : early;
			longest_ns = own_ns > longest_ns ? own_ns : longest_ns;
		} else {
			late = !late || x->enter_ns > late->enter_ns ? x : late;
			shortest_ns = own_ns < shortest_ns ? own_ns : shortest_ns;
		}
	}
	if (!early || !late || early->enter_ns <= late->enter_ns)
		return false;
	return (double)sat_sub(early->enter_ns, late->enter_ns) >
		       job_doubt_ns(s->job, s->job->members[early->member].part,
				    s->job->members[late->member].part) ||
	       sat_sub(shortest_ns, longest_ns) > sat_sub(end_ns, first_ns);
}

/* Who came last, if that is sure, and how long the others waited. */
static void judge_visit(struct stragglers *s, size_t number)
{
	const struct replay_visit *v = &s->replay.visits[number];
	const struct replay_stop *stops = &s->replay.stops[v->first];
	const struct straggler last = {.kind = STRAGGLER_RANK,
				       .number = stops[last_stop(v, stops)].member};

	for (uint32_t i = 0; i < v->count; i++)
		s->wait_ns[number] =
			sat_add(s->wait_ns[number], sat_sub(v->last_ns, stops[i].enter_ns));
	s->last[number] = s->wait_ns[number] > 0 && is_last(s, v, &last) ? last.number : NOBODY;
}

static void judge_visits(struct stragglers *s)
{
	s->wait_ns = mem_zalloc(s->replay.count, sizeof(*s->wait_ns));
	s->last = mem_alloc(s->replay.count, sizeof(*s->last));
	for (size_t i = 0; i < s->replay.count; i++)
		judge_visit(s, i);
}

/* Somebody who may be slow. */
struct suspect {
	struct straggler is;
	double late_ns; /* of all steps; a group's is that of its ranks on average */
};

static int by_delay(const void *a, const void *b, void *ctx)
{
	const struct suspect *x = a, *y = b;

	(void)ctx;
	return (x->late_ns < y->late_ns) - (x->late_ns > y->late_ns);
}

static double sum_late(const struct stragglers *s, uint32_t member)
{
	double sum = 0;

	for (size_t i = 0; i < s->steps; i++)
		sum += s->late_ns[member * s->steps + i];
	return sum;
}

static void add_group(const struct stragglers *s, enum straggler_kind kind, uint32_t number,
		      struct suspect *to)
{
	*to = (struct suspect){.is = {.kind = kind, .number = number, .example = NOBODY}};
	for (uint32_t i = 0; i < s->job->member_count; i++) {
		if (!straggler_has(s, &to->is, i))
			continue;
		to->is.example = to->is.example == NOBODY ? i : to->is.example;
		to->is.members++;
		to->late_ns += sum_late(s, i);
	}
	if (to->is.members)
		to->late_ns /= to->is.members;
}

static uint32_t count_places(const struct job *j)
{
	uint32_t most = 0;

	for (size_t i = 0; i < j->member_count; i++) {
		if (j->members[i].local != PART_NO_NUMBER && j->members[i].local >= most)
			most = j->members[i].local + 1;
	}
	return most < j->member_count ? most : 0;
}

static size_t count_kind(const struct stragglers *s, enum straggler_kind kind)
{
	const struct job *j = s->job;

	switch (kind) {
	case STRAGGLER_RANK:
		return j->member_count;
	case STRAGGLER_NODE: /* one rank a node: the rank says it all */
		return j->node_count > 1 && j->node_count < j->member_count ? j->node_count : 0;
	case STRAGGLER_RAIL:
		return j->node_count > 1 && count_places(j) > 1 ? count_places(j) : 0;
	default:
		return s->x->class_count;
	}
}

/* Of a kind, those with the longest delays; the caller frees them. */
static struct suspect *list_suspects(const struct stragglers *s, enum straggler_kind kind,
				     size_t *ret_count)
{
	const size_t n = count_kind(s, kind);
	struct suspect *all = mem_alloc(n, sizeof(*all));
	size_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		add_group(s, kind, i, &all[count]);
		count += all[count].is.members > 0 && all[count].late_ns > 0;
	}
	sort_stable(all, count, sizeof(*all), by_delay, NULL);
	*ret_count = count < TRIED ? count : TRIED;
	return all;
}

/* That of `n` in any order the last ones are just these: one in as many as there are choices. */
static double chance_of_all(uint32_t n, uint32_t own)
{
	double chance = 1;

	for (uint32_t i = 0; i < own; i++)
		chance *= (double)(i + 1) / (double)(n - i);
	return chance;
}

/* Whether in a step each rank of a group is later by itself than all others are. */
static bool is_slowest(const struct stragglers *s, const struct straggler *g, size_t step)
{
	double own_ns = INFINITY, others_ns = -INFINITY;

	for (uint32_t i = 0; i < s->job->member_count; i++) {
		const double ns = s->late_ns[i * s->steps + step];

		if (straggler_has(s, g, i))
			own_ns = fmin(own_ns, ns);
		else
			others_ns = fmax(others_ns, ns);
	}
	return own_ns > others_ns;
}

/* By step, the longest delay that a rank has by itself. */
static int64_t *list_longest(const struct stragglers *s)
{
	int64_t *longest_ns = mem_zalloc(s->steps, sizeof(*longest_ns));

	for (size_t i = 0; i < s->job->member_count; i++) {
		for (size_t k = 0; k < s->steps; k++) {
			const int64_t ns = sat_of_double(s->late_ns[i * s->steps + k]);

			longest_ns[k] = ns > longest_ns[k] ? ns : longest_ns[k];
		}
	}
	return longest_ns;
}

/*
 * Were all alike, any rank might be the slowest of a step. That is told without any clock, and
 * without who waits for whom: in a pipeline somebody always does. Any of `n` might have been the
 * one, and of a rank that is late now and then few steps have most of the delays: so many chances
 * there are to find one by chance.
 */
static bool is_chance(const struct stragglers *s, struct straggler *g, size_t n)
{
	const double chance = chance_of_all((uint32_t)s->job->member_count, g->members);
	const size_t tries = n * ARRAY_LEN(counts);
	int64_t *longest_ns = list_longest(s);
	bool by_chance = true;

	for (size_t i = 0; i < ARRAY_LEN(counts) && by_chance; i++) {
		const int64_t least_ns = chance_least_that_counts(longest_ns, s->steps, counts[i]);

		g->of = g->last = 0;
		for (size_t k = 0; k < s->steps; k++) {
			g->of += longest_ns[k] >= least_ns;
			g->last += longest_ns[k] >= least_ns && is_slowest(s, g, k);
		}
		by_chance = chance_at_least(g->of, g->last, chance) * (double)tries > luck;
	}
	free(longest_ns);
	return by_chance;
}

/* What ranks that share the GPU of a straggler compute in a step. */
struct shared {
	double own_ns, others_ns;
	size_t others;
};

static struct shared sum_shared(const struct stragglers *s, const struct straggler *g)
{
	const struct part_member *own = s->job->members[g->example].is;
	struct shared sum = {0};

	for (size_t i = 0; i < s->job->member_count && g->kind == STRAGGLER_RANK; i++) {
		const struct part_member *m = s->job->members[i].is;
		const double ns = (double)m->window_ns[MEMBER_COMPUTE] / member_steps(m);

		if (i == g->number) {
			sum.own_ns = ns;
		} else if (m->gpu_id && m->gpu_id == own->gpu_id) {
			sum.others_ns += ns;
			sum.others++;
		}
	}
	return sum;
}

/* Held up by what it computes, a rank leaves the others nothing of their GPU. */
static bool leaves_more(const struct shared *x)
{
	return x->others && x->others_ns > 0 &&
	       x->own_ns <= slower * x->others_ns / (double)x->others;
}

/* What is saved of the time from the first collective on, which nobody is late for, to the last. */
static double saved_of_step(const struct stragglers *s, const struct replay_change *c)
{
	const struct replay *r = &s->replay;
	int64_t end_ns = INT64_MIN;

	for (size_t i = 0; i < r->stop_count; i++)
		end_ns = r->stops[i].leave_ns > end_ns ? r->stops[i].leave_ns : end_ns;
	if (!r->count || end_ns <= r->visits[0].last_ns)
		return 0;
	return (double)replay_saved_ns(r, c, NULL) / (double)sat_sub(end_ns, r->visits[0].last_ns) *
	       s->step_ns;
}

/*
 * How much shorter a step would be, were these like the others. While a rank is held up by its
 * host, those that share its GPU have more of it; were it on time, all of them would take longer:
 * at least by what it adds to their compute, at most so that nothing of that overlaps.
 */
static void replay_without(const struct stragglers *s, struct straggler *g)
{
	const struct shared shared = sum_shared(s, g);
	const double factor = leaves_more(&shared) ? 1 + shared.own_ns / shared.others_ns : 1;
	bool *usual = mem_zalloc(s->job->member_count, sizeof(*usual));
	double *stretch = mem_alloc(s->job->member_count, sizeof(*stretch));
	const struct replay_change change = {.usual_lags = usual, .stretch = stretch};

	for (uint32_t i = 0; i < s->job->member_count; i++) {
		const uint64_t gpu = s->job->members[i].is->gpu_id;

		usual[i] = straggler_has(s, g, i);
		stretch[i] = gpu && gpu == s->job->members[g->example].is->gpu_id ? factor : 1;
	}
	g->shares_gpu = shared.others > 0;
	g->step_ns = s->step_ns;
	g->saved_ns = g->saved_least_ns = g->saved_most_ns = saved_of_step(s, &change);
	if (leaves_more(&shared)) {
		const double rest_ns = s->step_ns - shared.own_ns - shared.others_ns;

		g->saved_least_ns = fmin(fmax(rest_ns, 0), g->saved_most_ns);
		g->saved_ns = (g->saved_least_ns + g->saved_most_ns) / 2;
	}
	free(stretch);
	free(usual);
}

static void name(struct stragglers *s, const struct straggler *g)
{
	s->all = mem_resize(s->all, s->count + 1, sizeof(*s->all));
	s->all[s->count++] = *g;
}

static void try_suspects(struct stragglers *s, enum straggler_kind kind)
{
	size_t count;
	struct suspect *all = list_suspects(s, kind, &count);

	for (size_t i = 0; i < count; i++) {
		struct straggler *g = &all[i].is;

		g->late_ns = all[i].late_ns / (double)s->steps;
		if (g->late_ns < worth * s->step_ns || is_chance(s, g, count_kind(s, kind)))
			continue;
		replay_without(s, g);
		if (g->saved_ns >= worth * s->step_ns)
			name(s, g);
	}
	free(all);
}

static int by_saving(const void *a, const void *b, void *ctx)
{
	const struct straggler *x = a, *y = b;

	(void)ctx;
	if (x->saved_ns != y->saved_ns)
		return x->saved_ns < y->saved_ns ? 1 : -1;
	return x->kind != y->kind ? (int)x->kind - (int)y->kind
				  : (x->number > y->number) - (x->number < y->number);
}

static bool overlap(const struct stragglers *s, const struct straggler *a,
		    const struct straggler *b)
{
	for (uint32_t i = 0; i < s->job->member_count; i++) {
		if (straggler_has(s, a, i) && straggler_has(s, b, i))
			return true;
	}
	return false;
}

/* A group is named for its ranks only where it explains more than the slowest of them. */
static bool is_covered(const struct stragglers *s, const struct straggler *g, size_t others)
{
	for (size_t i = 0; i < others; i++) {
		if (overlap(s, g, &s->all[i]))
			return true;
	}
	return false;
}

static void choose(struct stragglers *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		/* In order of what they save, a group's made less by what it has to have more. */
		if (s->all[i].kind != STRAGGLER_RANK)
			s->all[i].saved_ns /= more;
	}
	sort_stable(s->all, s->count, sizeof(*s->all), by_saving, NULL);
	for (size_t i = 0; i < s->count && kept < NAMED; i++) {
		const struct straggler g = s->all[i];

		if (!is_covered(s, &g, kept))
			s->all[kept++] = g;
	}
	s->count = kept;
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].kind != STRAGGLER_RANK)
			s->all[i].saved_ns *= more;
	}
}

/* A communicator whose transfers take longer than those of others that do the same. */
struct transfers {
	uint64_t visits, slow;
	double excess_ns;
};

static struct transfers sum_transfers(const struct stragglers *s, uint32_t class)
{
	const struct replay *r = &s->replay;
	struct transfers t = {0};

	for (size_t i = 0; i < r->count; i++) {
		const struct replay_visit *v = &r->visits[i];
		int64_t shortest_ns = INT64_MAX;

		if (s->x->all[v->instance].class != class)
			continue;
		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			if (r->stops[k].transfer_ns < shortest_ns)
				shortest_ns = r->stops[k].transfer_ns;
		}
		t.visits++;
		t.slow += (double)shortest_ns > slower * (double)v->usual_transfer_ns;
		t.excess_ns += (double)sat_sub(shortest_ns, v->usual_transfer_ns);
	}
	return t;
}

static void try_class(struct stragglers *s, uint32_t class, bool *usual)
{
	const struct instance_class *c = &s->x->classes[class];
	const struct transfers t = sum_transfers(s, class);
	const struct replay_change change = {.usual_transfers = usual};
	struct straggler g = {.kind = STRAGGLER_COMMUNICATOR,
			      .number = class,
			      .example = s->x->queues[c->first_queue].member,
			      .members = (uint32_t)c->queue_count,
			      .step_ns = s->step_ns,
			      .late_ns = t.excess_ns / (double)s->steps,
			      .cause_ns = t.excess_ns / (double)s->steps,
			      .cause = SLOW_BY_NETWORK,
			      .last = t.slow,
			      .of = t.visits};

	if (!t.visits || g.late_ns < worth * s->step_ns ||
	    chance_at_least(t.visits, t.slow, 0.5) * (double)s->x->class_count > luck)
		return;
	usual[class] = true;
	g.saved_ns = saved_of_step(s, &change);
	usual[class] = false;
	if (g.saved_ns >= worth * s->step_ns)
		name(s, &g);
}

static void try_classes(struct stragglers *s)
{
	bool *usual = mem_zalloc(s->x->class_count, sizeof(*usual));

	for (uint32_t i = 0; i < s->x->class_count; i++) {
		if (s->x->classes[i].count)
			try_class(s, i, usual);
	}
	free(usual);
}

void stragglers_find(const struct job *j, const struct instances *x, struct stragglers *ret)
{
	*ret = (struct stragglers){.job = j, .x = x};
	find_window(ret);
	replay_make(j, x, ret->window, &ret->replay);
	number_steps(ret);
	ret->step_ns = usual_step(ret);
	sum_delays(ret);
	judge_visits(ret);
	for (int kind = 0; kind < STRAGGLER_COMMUNICATOR; kind++)
		try_suspects(ret, kind);
	try_classes(ret);
	choose(ret);
	for (size_t i = 0; i < ret->count; i++) {
		straggler_explain(ret, &ret->all[i]);
		straggler_find_pattern(ret, &ret->all[i]);
	}
}

void stragglers_free(struct stragglers *s)
{
	replay_free(&s->replay);
	free(s->step_of);
	free(s->late_ns);
	free(s->wait_ns);
	free(s->last);
	free(s->all);
	*s = (struct stragglers){0};
}
