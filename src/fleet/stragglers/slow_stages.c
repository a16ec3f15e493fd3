/* Which stages of a pipeline do the others wait for: slow ones, or such that have more to do? */
#include "analysis/numbers/chance.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"
#include "fleet/stragglers/stage_lags.h"

#include <stdlib.h>
#include <string.h>

enum {
	SLOW_MAX = 4, /* stages that are slow alike; half of all at most */
	ROUNDS = 4,   /* in which stages are looked for beside those that were found */
};

static const double share = 0.1; /* of what is saved, for one more stage to belong to the slow */
static const double counts[] = {0.9, 0.75, 0.5}; /* of all excess, in steps to look at */

struct search {
	struct stragglers *s;
	struct stages stages;
	uint32_t *order; /* roles that nothing was told of yet, the one with most to do first */
	bool replays;	 /* what passes between stages is known exchange by exchange */
	uint32_t left;	 /* these */
	struct straggler doubtful; /* what may be chance; `members` is 0: nothing */
	double *values;		   /* room for one value of each stage */
	int64_t *keys, *scratch;
};

/* Stages that are held against those from `others` on, by order. */
struct picked {
	uint32_t roles[SLOW_MAX];
	uint32_t count, others;
};

static struct picked pick_first(const struct search *x, uint32_t count)
{
	struct picked p = {.count = count, .others = count};

	memcpy(p.roles, x->order, count * sizeof(*p.roles));
	return p;
}

static int64_t lower_median_key(struct search *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x->keys[i] = sort_key_of_double(x->values[i]);
	sort_i64(x->keys, x->scratch, n);
	return x->keys[(n - 1) / 2];
}

/* What the usual one of the others has to do. */
static double others_work(struct search *x, const struct picked *p)
{
	size_t n = 0;

	for (uint32_t i = p->others; i < x->left; i++)
		x->values[n++] = x->stages.all[x->order[i]].work_ns;
	return sort_double_of_key(lower_median_key(x, n));
}

/* By step: how much more these have to do, on average; NAN: not known. */
static double *list_excess(struct search *x, const struct picked *p)
{
	double *ns = arena_alloc(&x->s->arena, x->s->steps, sizeof(*ns));

	for (size_t k = 0; k < x->s->steps; k++) {
		double own = 0;
		size_t n = 0;

		ns[k] = NAN;
		for (uint32_t i = 0; i < p->count; i++)
			own += x->stages.all[p->roles[i]].by_step[k] / p->count;
		for (uint32_t i = p->others; i < x->left; i++)
			x->values[n++] = x->stages.all[x->order[i]].by_step[k];
		if (!isnan(own)) /* then the step is known of all */
			ns[k] = own - sort_double_of_key(lower_median_key(x, n));
	}
	return ns;
}

/* Whether in a step each of these has more to do than any other. */
static bool are_slowest(const struct search *x, const struct picked *p, size_t step)
{
	double own = INFINITY;

	for (uint32_t i = 0; i < p->count; i++)
		own = fmin(own, x->stages.all[p->roles[i]].by_step[step]);
	for (uint32_t i = p->others; i < x->left; i++) {
		if (x->stages.all[x->order[i]].by_step[step] >= own)
			return false;
	}
	return true;
}

/*
 * Whether chance may explain that these have most to do in the steps with most of the excess, were
 * all stages alike: any others might have been found as well, in so many steps.
 */
static bool are_chance(const struct search *x, const struct picked *p, struct straggler *g)
{
	const double choices = choices_of(x->left, p->count) * ldexp(1, (int)(p->count - 1));
	const double chance = 1 / choices_of(x->left, p->count);
	const size_t times = ARRAY_LEN(counts);
	int64_t *excess_ns = mem_zalloc(x->s->steps, sizeof(*excess_ns));
	bool by_chance = true;

	for (size_t k = 0; k < x->s->steps; k++)
		excess_ns[k] = g->by_step_ns[k] > 0 ? sat_of_double(g->by_step_ns[k]) : 0;
	for (size_t i = 0; i < times && by_chance; i++) {
		const int64_t least_ns =
			chance_least_that_counts(excess_ns, x->s->steps, counts[i]);

		g->of = g->last = 0;
		for (size_t k = 0; k < x->s->steps; k++) {
			if (isnan(g->by_step_ns[k]) || excess_ns[k] < least_ns)
				continue;
			g->of++;
			g->last += are_slowest(x, p, k);
		}
		by_chance = !(chance_at_least(g->of, g->last, chance) * choices * (double)times <=
			      luck);
	}
	free(excess_ns);
	return by_chance;
}

static void take_members(struct search *x, const struct picked *p, struct straggler *g)
{
	struct stragglers *s = x->s;
	uint32_t *who = arena_alloc(&s->arena, s->job->member_count, sizeof(*who));

	for (uint32_t i = 0; i < s->job->member_count; i++) {
		for (uint32_t k = 0; k < p->count; k++) {
			if (s->replay.roles.of[i] == p->roles[k])
				who[g->members++] = i;
		}
	}
	g->who = who;
	g->stages = p->count;
	g->number = p->roles[0];
	g->example = x->stages.all[p->roles[0]].member;
}

static bool share_a_gpu(const struct stragglers *s, const struct straggler *g)
{
	for (uint32_t i = 0; i < s->job->member_count; i++) {
		const uint64_t gpu = s->job->members[i].gpu;

		for (uint32_t k = 0; k < g->members && gpu && !straggler_has(g, i); k++) {
			if (s->job->members[g->who[k]].gpu == gpu)
				return true;
		}
	}
	return false;
}

static double saved_by(const struct search *x, const int64_t *lags)
{
	return saved_of_step(x->s, &(struct replay_change){.lag_ns = lags});
}

/* A host that stands still does so once between two waits. */
static double saved_by_cut(const struct search *x, const int64_t *lags)
{
	return saved_of_step(x->s, &(struct replay_change){.lag_ns = lags, .of_longest = true});
}

static double *new_change(const struct search *x)
{
	return mem_zalloc(x->stages.count * x->s->steps, sizeof(double));
}

/* No more for these than the others have to do. */
static double *like_others(const struct search *x, const struct picked *p,
			   const struct straggler *g)
{
	double *more_ns = new_change(x);

	for (size_t k = 0; k < x->s->steps; k++) {
		double others_ns = -g->by_step_ns[k];

		for (uint32_t i = 0; i < p->count; i++)
			others_ns += x->stages.all[p->roles[i]].by_step[k] / p->count;
		for (uint32_t i = 0; i < p->count; i++)
			more_ns[p->roles[i] * x->s->steps + k] =
				others_ns - x->stages.all[p->roles[i]].by_step[k];
	}
	return more_ns;
}

static void set_saved(struct straggler *g, double ns)
{
	g->saved_ns = g->saved_least_ns = g->saved_most_ns = ns;
}

static void describe(struct search *x, const struct picked *p, struct straggler *ret)
{
	*ret = (struct straggler){.kind = STRAGGLER_STAGE, .step_ns = x->s->step_ns};
	take_members(x, p, ret);
	ret->others_ns = others_work(x, p);
	ret->by_step_ns = list_excess(x, p);
	for (uint32_t i = 0; i < p->count; i++)
		ret->work_ns += x->stages.all[p->roles[i]].work_ns / p->count;
	ret->late_ns = ret->work_ns - ret->others_ns;
	ret->shares_gpu = share_a_gpu(x->s, ret);
}

static void set_estimate(struct straggler *g, double least_ns, double most_ns)
{
	g->is_estimate = true;
	set_saved(g, fmax(0, (least_ns + most_ns) / 2));
}

/*
 * A pipeline takes as long as its slowest stage for each micro-batch but one, and for that one as
 * long as all stages together: whatever their number, less work of the slowest saves that, down to
 * the next one, and some of it beyond.
 */
static void estimate_saving(const struct search *x, const struct picked *p, struct straggler *g)
{
	double least_ns = INFINITY, next_ns = 0;

	for (uint32_t i = 0; i < p->count; i++)
		least_ns = fmin(least_ns, x->stages.all[p->roles[i]].work_ns);
	for (uint32_t i = p->others; i < x->left; i++)
		next_ns = fmax(next_ns, x->stages.all[x->order[i]].work_ns);
	set_estimate(g, least_ns - next_ns, g->late_ns);
}

/* What a step would be shorter, had these no more to do than others, however that is spread. */
static void try_picked(struct search *x, const struct picked *p, struct straggler *ret)
{
	double *more_ns;
	int64_t *spread, *at_once;

	describe(x, p, ret);
	if (!x->replays) {
		estimate_saving(x, p, ret);
		return;
	}
	more_ns = like_others(x, p, ret);
	spread = stage_lags_scaled(x->s, &x->stages, more_ns);
	at_once = stage_lags_cut(x->s, more_ns);
	set_saved(ret, fmax(saved_by(x, spread), saved_by_cut(x, at_once)));
	free(at_once);
	free(spread);
	free(more_ns);
}

/* The fewest beyond which no more is saved that is worth it; none: nothing is. */
static struct picked find_slow(struct search *x, struct straggler *ret)
{
	const uint32_t half = x->left / 2, most = half < SLOW_MAX ? half : SLOW_MAX;
	struct picked found = {0};

	for (uint32_t slow = 1; slow <= most; slow++) {
		const struct picked p = pick_first(x, slow);
		struct straggler g;
		double more_ns;

		try_picked(x, &p, &g);
		/* One that has hardly more to do than others is none of them. */
		if (!is_worth(x->s, x->stages.all[p.roles[slow - 1]].work_ns - g.others_ns))
			break;
		more_ns = g.saved_ns - (found.count ? ret->saved_ns : 0);
		if (!is_worth(x->s, more_ns) || more_ns < share * g.saved_ns)
			continue;
		if (are_chance(x, &p, &g)) {
			if (!x->doubtful.members)
				x->doubtful = g;
			continue;
		}
		*ret = g;
		found = p;
	}
	return found;
}

/* Had all stages as much to compute, instead of these so much more: other work cannot be moved. */
static double *evened_out(const struct search *x)
{
	double *more_ns = new_change(x), mean_ns = 0;

	for (uint32_t i = 0; i < x->stages.count; i++)
		mean_ns += x->stages.all[i].ns[MEMBER_COMPUTE] / x->stages.count;
	for (uint32_t i = 0; i < x->stages.count; i++) {
		for (size_t k = 0; k < x->s->steps; k++)
			more_ns[i * x->s->steps + k] =
				mean_ns - x->stages.all[i].ns[MEMBER_COMPUTE];
	}
	return more_ns;
}

static void balance(const struct search *x, struct straggler *g)
{
	double *more_ns, mean_ns = 0;
	int64_t *lags;

	for (uint32_t i = 0; i < x->stages.count; i++)
		mean_ns += x->stages.all[i].work_ns / x->stages.count;
	/* Of two micro-batches at least, all but one take as long as the slowest stage. */
	if (!x->replays) {
		set_estimate(g, (g->work_ns - mean_ns) / 2, g->work_ns - mean_ns);
		return;
	}
	more_ns = evened_out(x);
	lags = stage_lags_scaled(x->s, &x->stages, more_ns);
	set_saved(g, saved_by(x, lags));
	free(lags);
	free(more_ns);
}

/* What is saved, as the cause is known: compute is spread over a step, a stall is not. */
static void price_slow(const struct search *x, const struct picked *p, struct straggler *g)
{
	const size_t n = x->s->replay.stop_count;
	int64_t *lags, *kept;
	double *more_ns;

	if (!x->replays) {
		estimate_saving(x, p, g);
		return;
	}
	more_ns = like_others(x, p, g);
	lags = g->cause == SLOW_BY_CLOCK ? stage_lags_scaled(x->s, &x->stages, more_ns)
					 : stage_lags_cut(x->s, more_ns);
	kept = arena_alloc(&x->s->arena, n, sizeof(*kept));
	memcpy(kept, lags, n * sizeof(*kept));
	g->lag_ns = kept;
	g->of_longest = g->cause != SLOW_BY_CLOCK;
	set_saved(g, g->of_longest ? saved_by_cut(x, lags) : saved_by(x, lags));
	free(lags);
	free(more_ns);
}

/* Whether half of its ranks were named already. */
static bool is_told(const struct stragglers *s, const struct straggler *g)
{
	uint32_t told = 0;

	for (uint32_t i = 0; i < g->members; i++) {
		bool named = false;

		for (size_t k = 0; k < s->count && !named; k++)
			named = straggler_has(&s->all[k], g->who[i]) &&
				s->all[k].kind != STRAGGLER_COMMUNICATOR;
		told += named;
	}
	return 2 * told >= g->members;
}

/* Its ranks are late by that, beside what they are late among those that do the same. */
static void name_slow(struct stragglers *s, const struct straggler *g)
{
	size_t at;

	stragglers_add(s, g);
	for (at = s->count - 1; at && s->all[at - 1].saved_ns < g->saved_ns; at--)
		s->all[at] = s->all[at - 1];
	s->all[at] = *g;
	for (uint32_t i = 0; i < g->members; i++) {
		for (size_t k = 0; k < s->steps; k++) {
			if (!isnan(g->by_step_ns[k]))
				s->late_ns[g->who[i] * s->steps + k] += g->by_step_ns[k];
		}
	}
}

/* The same work that takes longer is a straggler; more work is none. */
static bool is_late(const struct straggler *g)
{
	return g->cause != SLOW_BY_MORE && g->cause != SLOW_BY_KERNELS && g->cause != SLOW_BY_WHAT;
}

/* Why one of the picked ones has more to do, by itself. */
static enum straggler_cause cause_of(struct search *x, const struct picked *p, uint32_t role,
				     const struct straggler *all, bool *ret_late)
{
	const struct picked one = {{role}, 1, p->others};
	struct straggler g;

	describe(x, &one, &g);
	g.saved_ns = fmin(all->saved_ns, g.late_ns);
	straggler_find_pattern(x->s, &g);
	straggler_explain_of(x->s, all, &g);
	*ret_late = is_late(&g);
	return g.cause;
}

/*
 * Those of the picked ones that are late, or that have more to do: each for its own reason. One
 * that waits may look like one that has more to do; beside such as are known to, it is not told.
 */
static struct picked part_of(struct search *x, const struct picked *p, const struct straggler *all,
			     bool late)
{
	struct picked part = {.others = p->others}, unknown = part;

	for (uint32_t i = 0; i < p->count; i++) {
		bool is;
		const enum straggler_cause cause = cause_of(x, p, p->roles[i], all, &is);
		struct picked *to = cause == SLOW_BY_WHAT ? &unknown : &part;

		if (is == late)
			to->roles[to->count++] = p->roles[i];
	}
	return part.count ? part : unknown;
}

/* When and why they are late, or have more to do, the first of them before all. */
static void explain_part(struct search *x, const struct picked *part, const struct straggler *all,
			 struct straggler *ret)
{
	describe(x, part, ret);
	set_saved(ret, all->saved_ns);
	ret->last = all->last;
	ret->of = all->of;
	straggler_find_pattern(x->s, ret);
	straggler_explain_of(x->s, all, ret);
}

static void tell_late(struct search *x, const struct picked *part, const struct straggler *all)
{
	struct straggler g;

	if (!part->count)
		return;
	explain_part(x, part, all, &g);
	/* Of several each has a reason of its own; all of them together may have none. */
	if (g.cause == SLOW_BY_WHAT)
		return;
	price_slow(x, part, &g);
	if (is_worth(x->s, g.saved_ns))
		name_slow(x->s, &g);
}

/* The one that costs most is told. */
static void tell_unbalanced(struct search *x, const struct picked *part,
			    const struct straggler *all)
{
	struct straggler g;

	if (!part->count || x->s->unbalanced.members)
		return;
	explain_part(x, part, all, &g);
	/* Without a reason it may be as idle for want of work. */
	if (g.cause == SLOW_BY_WHAT && !x->replays)
		return;
	balance(x, &g);
	if (is_worth(x->s, g.saved_ns))
		x->s->unbalanced = g;
}

/*
 * Those that stand out are told, and then what stands out among the rest: a stage that is slow is
 * seen beside one that has the head of the model to do. False: none does.
 */
static bool search_stages(struct search *x)
{
	struct straggler all;
	const struct picked p = find_slow(x, &all);

	if (!p.count)
		return false;
	if (!is_told(x->s, &all)) {
		const struct picked late = part_of(x, &p, &all, true);
		const struct picked unbalanced = part_of(x, &p, &all, false);

		tell_late(x, &late, &all);
		tell_unbalanced(x, &unbalanced, &all);
	}
	x->left -= p.count;
	memmove(x->order, &x->order[p.count], x->left * sizeof(*x->order));
	return x->left > 1;
}

/* Whether ranks of different stages meet two by two. */
static bool are_pairs(const struct replay *r)
{
	for (size_t i = 0; i < r->count; i++) {
		const struct replay_class *c = &r->classes[r->visits[i].class];

		if (c->type == COLL_SEND_RECV && c->member_count == 2 &&
		    r->roles.of[c->members[0]] != r->roles.of[c->members[1]])
			return true;
	}
	return false;
}

void suspects_try_stages(struct stragglers *s)
{
	struct search x = {.s = s};

	stages_measure(s, &x.stages);
	if (x.stages.count) {
		x.left = x.stages.count;
		x.replays = are_pairs(&s->replay);
		x.keys = mem_alloc(x.left, sizeof(*x.keys));
		x.scratch = mem_alloc(x.left, sizeof(*x.scratch));
		x.values = mem_alloc(x.left, sizeof(*x.values));
		for (uint32_t i = 0; i < x.left; i++)
			x.keys[i] = sort_key_of_double(-x.stages.all[i].work_ns);
		x.order = sort_new_order(x.keys, x.left);
		for (int i = 0; i < ROUNDS && search_stages(&x); i++)
			;
		if (!s->count && !s->unbalanced.members && x.replays)
			s->doubtful = x.doubtful;
	}
	free(x.values);
	free(x.scratch);
	free(x.keys);
	free(x.order);
	stages_free(&x.stages);
}
