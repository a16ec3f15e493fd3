/* Which ranks, nodes and rails are the slowest more often than chance explains? */
#include "analysis/numbers/chance.h"
#include "analysis/numbers/rhythm.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

static const double counts[] = {0.9, 0.75, 0.5}; /* of all delays, in steps to look at */
static const double late_share = 0.5;	 /* of the least of these: that is late as well … */
static const double others_share = 0.25; /* … and that of another is no longer its own doing */
static const double likely = 0.1;	 /* that it is always the same one says nothing then */
static const double of_luck = 0.25;	 /* beside what is spent on who is the slowest */

void straggler_make(const struct stragglers *s, enum straggler_kind kind, uint32_t number,
		    const uint32_t *who, uint32_t members, struct straggler *ret)
{
	double longest_ns = -INFINITY;

	*ret = (struct straggler){.kind = kind, .number = number, .who = who, .members = members};
	for (uint32_t i = 0; i < members; i++) {
		const double ns = delays_of(s, who[i]) / (double)s->steps;

		ret->late_ns += ns / members;
		if (ns > longest_ns) {
			longest_ns = ns;
			ret->example = who[i];
		}
	}
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
		return 0;
	}
}

static uint32_t number_of(const struct stragglers *s, enum straggler_kind kind, uint32_t member)
{
	const struct job_member *m = &s->job->members[member];

	return kind == STRAGGLER_RANK ? member : kind == STRAGGLER_NODE ? m->node : m->local;
}

static int by_delay(const void *a, const void *b, void *ctx)
{
	const struct straggler *x = a, *y = b;

	(void)ctx;
	return (x->late_ns < y->late_ns) - (x->late_ns > y->late_ns);
}

/* All groups of a kind that have members, and others beside them. */
static size_t list_groups(struct stragglers *s, enum straggler_kind kind, size_t kinds,
			  struct straggler *all)
{
	const uint32_t n = (uint32_t)s->job->member_count;
	uint32_t *who = arena_alloc(&s->arena, n, sizeof(*who));
	uint32_t *begin = mem_zalloc(kinds + 1, sizeof(*begin));
	size_t count = 0;

	/* How many each has, where the next begins; then where each ends, filled backwards. */
	for (uint32_t i = 0; i < n; i++) {
		if (number_of(s, kind, i) < kinds)
			begin[number_of(s, kind, i)]++;
	}
	for (size_t i = 1; i <= kinds; i++)
		begin[i] += begin[i - 1];
	for (uint32_t i = n; i-- > 0;) {
		if (number_of(s, kind, i) < kinds)
			who[--begin[number_of(s, kind, i)]] = i;
	}
	for (uint32_t i = 0; i < kinds; i++) {
		if (begin[i + 1] > begin[i] && begin[i + 1] - begin[i] < n)
			straggler_make(s, kind, i, &who[begin[i]], begin[i + 1] - begin[i],
				       &all[count++]);
	}
	free(begin);
	return count;
}

struct straggler *suspects_list(struct stragglers *s, enum straggler_kind kind, size_t *ret_count)
{
	const size_t kinds = count_kind(s, kind);
	struct straggler *all = mem_alloc(kinds, sizeof(*all));
	size_t count = kinds ? list_groups(s, kind, kinds, all) : 0;

	sort_stable(all, count, sizeof(*all), by_delay, NULL);
	count = count < TRIED ? count : TRIED;
	while (count && (all[count - 1].late_ns <= 0 || !is_worth(s, all[count - 1].late_ns)))
		count--;
	*ret_count = count;
	return all;
}

double choices_of(size_t n, size_t own)
{
	double choices = 1;

	for (size_t i = 0; i < own; i++)
		choices *= (double)(n - i) / (double)(i + 1);
	return choices;
}

/*
 * Whether in a step each rank of a group is later by itself than all others are. The latest tell
 * that of all but large groups.
 */
static bool is_slowest(const struct stragglers *s, const struct straggler *g, const bool *out,
		       size_t step)
{
	const uint32_t *latest = &s->latest[step * s->latest_count];
	double own_ns = INFINITY;

	for (uint32_t i = 0; i < g->members; i++)
		own_ns = fmin(own_ns, s->late_ns[g->who[i] * s->steps + step]);
	for (uint32_t i = 0; i < s->latest_count; i++) {
		if (s->late_ns[latest[i] * s->steps + step] < own_ns)
			return true;
		if ((!out || !out[latest[i]]) && !straggler_has(g, latest[i]))
			return false;
	}
	for (uint32_t i = 0; i < s->job->member_count && s->latest_count == LATEST; i++) {
		if ((!out || !out[i]) && s->late_ns[i * s->steps + step] >= own_ns &&
		    !straggler_has(g, i))
			return false;
	}
	return true;
}

/* When a group is late and others are not, and when these are. */
struct rhythm {
	bool *late; /* by step: the group alone */
	uint64_t late_steps, others_steps;
};

/* The longest delay of somebody else; all of those that are known may be its own. */
static double longest_of_others(const struct stragglers *s, const struct straggler *g,
				const struct rivals *r, size_t step)
{
	const uint32_t *latest = &s->latest[step * s->latest_count];

	for (uint32_t i = 0; i < s->latest_count; i++) {
		if ((!r->out || !r->out[latest[i]]) && !straggler_has(g, latest[i]))
			return s->late_ns[latest[i] * s->steps + step];
	}
	return s->latest_count == LATEST ? INFINITY : 0;
}

/* By step: how late each of a group is at least; the caller frees it. */
static int64_t *list_own(const struct stragglers *s, const struct straggler *g)
{
	int64_t *ns = mem_alloc(s->steps, sizeof(*ns));

	for (size_t k = 0; k < s->steps; k++) {
		double least = INFINITY;

		for (uint32_t i = 0; i < g->members; i++)
			least = fmin(least, s->late_ns[g->who[i] * s->steps + k]);
		ns[k] = least > 0 ? sat_of_double(least) : 0;
	}
	return ns;
}

static void rhythm_make(const struct stragglers *s, const struct straggler *g,
			const struct rivals *r, struct rhythm *ret)
{
	int64_t *ns = list_own(s, g);
	const double least = (double)chance_least_that_counts(ns, s->steps, counts[1]);

	*ret = (struct rhythm){.late = mem_zalloc(s->steps, sizeof(*ret->late))};
	for (size_t k = 0; k < s->steps && least > 0; k++) {
		const bool alone = longest_of_others(s, g, r, k) < others_share * least;

		ret->late[k] = alone && (double)ns[k] >= late_share * least;
		ret->late_steps += ret->late[k];
		ret->others_steps += !alone;
	}
	free(ns);
}

/* Of two chances that have nothing to do with each other, both or less likely ones. */
static double chance_of_both(double a, double b)
{
	return a * b > 0 ? a * b * (1 - log(a * b)) : 0;
}

/*
 * That nobody else is ever late, and that no step is missing, are both the least likely that may
 * come: nothing else is as unlikely as the two of them, and their product says how likely that is.
 */
static double chance_of_rhythm(const struct rhythm *x, size_t steps, double who)
{
	const double when = rhythm_chance(x->late, steps);

	return !x->others_steps && rhythm_is_perfect(x->late, steps) ? who * when
								     : chance_of_both(who, when);
}

/*
 * Whether a group is late at equal distances while others are not, so that chance explains neither
 * that it is always the same nor that it is then: few steps tell what is the same every time.
 */
static bool has_rhythm(const struct stragglers *s, const struct straggler *g,
		       const struct rivals *r, double choices)
{
	const double chance = 1 / choices_of(r->count, g->members);
	struct rhythm x;
	double who = 1;
	bool has = false;

	rhythm_make(s, g, r, &x);
	/* In each step that somebody was late in, it might have been any of them alone. */
	if (x.late_steps >= RHYTHM_LEAST)
		who = fmin(1, choices * chance_at_least(x.late_steps + x.others_steps, x.late_steps,
							chance));
	if (who <= likely)
		has = chance_of_rhythm(&x, s->steps, who) <= of_luck * luck;
	free(x.late);
	return has;
}

/*
 * Were all alike, any rank might be the slowest of a step. That is told without any clock, and
 * without who waits for whom: in a pipeline somebody always does. Any of the choices might have
 * been the one, and of a rank that is late now and then few steps have most of the delays: so many
 * chances there are to find one by chance.
 */
bool straggler_is_chance(const struct stragglers *s, struct straggler *g, const struct rivals *r,
			 double choices)
{
	/* That of these in any order the last ones are just the group. */
	const double chance = 1 / choices_of(r->count, g->members);
	const size_t times = ARRAY_LEN(counts);
	bool by_chance = true;

	for (size_t i = 0; i < times && by_chance; i++) {
		const int64_t least_ns =
			chance_least_that_counts(r->longest_ns, s->steps, counts[i]);

		g->of = g->last = 0;
		for (size_t k = 0; k < s->steps; k++) {
			if (r->longest_ns[k] < least_ns)
				continue;
			g->of++;
			g->last += is_slowest(s, g, r->out, k);
		}
		/* More choices than a number holds are no reason to name somebody. */
		by_chance = !(chance_at_least(g->of, g->last, chance) * choices * (double)times <=
			      luck);
	}
	return by_chance && !has_rhythm(s, g, r, choices);
}

void suspects_try(struct stragglers *s, enum straggler_kind kind)
{
	const double choices = (double)count_kind(s, kind);
	size_t count;
	struct straggler *all = suspects_list(s, kind, &count);
	struct rivals rivals;

	rivals_make(s, NULL, &rivals);
	for (size_t i = 0; i < count; i++) {
		if (straggler_is_chance(s, &all[i], &rivals, choices))
			continue;
		straggler_replay(s, &all[i]);
		if (is_worth(s, all[i].saved_ns))
			stragglers_add(s, &all[i]);
	}
	rivals_free(&rivals);
	free(all);
}
