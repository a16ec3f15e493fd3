/* Who may be slow, where chance cannot be told from that? */
#include "base/mem.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

static const double nearly_all = 0.8;

/* Whether in other steps others are as late as it is in its own. */
static bool is_in_turn(const struct stragglers *s, const struct straggler *g)
{
	struct rivals all;
	size_t late = 0;

	rivals_make(s, NULL, &all);
	for (size_t i = 0; i < s->steps; i++)
		late += (double)all.longest_ns[i] >= g->late_step_ns / 2;
	rivals_free(&all);
	return (double)g->late_steps < nearly_all * (double)late;
}

/* What speaks against its being slow; `last` and `of` are set. */
static enum straggler_doubt find_doubt(const struct stragglers *s, struct straggler *g)
{
	struct rivals all;
	bool is_chance;

	rivals_make(s, NULL, &all);
	is_chance = straggler_is_chance(s, g, &all, choices_of(all.count, g->members));
	rivals_free(&all);
	if (!is_chance)
		return g->kind == STRAGGLER_RANK ? DOUBT_NO_CAUSE : DOUBT_CHANCE;
	if (is_in_turn(s, g))
		return DOUBT_IN_TURN;
	if (g->pattern == PATTERN_PERSISTENT && (double)g->last < nearly_all * (double)g->of)
		return DOUBT_OTHERS;
	return DOUBT_CHANCE;
}

static void keep_better(struct stragglers *s, const struct straggler *g)
{
	const struct straggler *best = &s->doubtful;

	if (is_worth(s, g->saved_ns) && (!best->members || straggler_stands_for(s, g, best) ||
					 g->saved_ns / price(g) > best->saved_ns / price(best)))
		s->doubtful = *g;
}

static void doubt_kind(struct stragglers *s, enum straggler_kind kind)
{
	size_t count;
	struct straggler *all = suspects_list(s, kind, &count);

	for (size_t i = 0; i < count; i++) {
		straggler_replay(s, &all[i]);
		keep_better(s, &all[i]);
	}
	free(all);
}

/*
 * Whether something of its own takes what it is late by, or enough of it. In which order ranks get
 * a GPU that they share makes the last of them late as well, which is nobody's being slow.
 */
static bool has_cause(struct stragglers *s, struct straggler *g)
{
	struct straggler alone = *g;

	alone.saved_ns = straggler_costs_alone(s, g);
	straggler_find_pattern(s, &alone);
	straggler_explain(s, &alone);
	return alone.cause != SLOW_BY_WHAT && is_worth(s, alone.cause_ns);
}

static void find_unpriced(struct stragglers *s)
{
	size_t count;
	struct straggler *all = suspects_list(s, STRAGGLER_RANK, &count);
	struct rivals rivals;

	rivals_make(s, NULL, &rivals);
	for (size_t i = 0; i < count && !s->unpriced.members; i++) {
		straggler_replay(s, &all[i]);
		if (all[i].shares_gpu && is_worth(s, straggler_costs_alone(s, &all[i])) &&
		    !straggler_is_chance(s, &all[i], &rivals, (double)s->job->member_count) &&
		    has_cause(s, &all[i]))
			s->unpriced = all[i];
	}
	rivals_free(&rivals);
	free(all);
	if (s->unpriced.members)
		straggler_find_pattern(s, &s->unpriced);
}

void suspects_doubt(struct stragglers *s)
{
	struct straggler set;

	doubt_kind(s, STRAGGLER_RANK);
	if (!s->doubtful.members && suspects_latest_set(s, &set))
		s->doubtful = set;
	doubt_kind(s, STRAGGLER_NODE);
	doubt_kind(s, STRAGGLER_RAIL);
	if (!s->doubtful.members) {
		find_unpriced(s);
		return;
	}
	straggler_find_pattern(s, &s->doubtful);
	s->doubt = find_doubt(s, &s->doubtful);
}
