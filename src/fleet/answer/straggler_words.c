/* What people read of a straggler: who, when and why. */
#include "fleet/answer/straggler_words.h"

#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>

static uint32_t rank_of(const struct fleet_answer *a, uint32_t member)
{
	return a->job.members[member].is->rank;
}

const uint32_t *straggler_ranks(const struct fleet_answer *a, const struct straggler *g,
				uint32_t *ret_count)
{
	uint32_t *ranks = arena_alloc(&a->report->arena, g->members, sizeof(*ranks)), count = 0;

	for (uint32_t i = 0; i < g->members; i++) {
		const uint32_t rank = rank_of(a, g->who[i]);

		/* One that uses several GPUs is a member on each. */
		if (!count || ranks[count - 1] != rank)
			ranks[count++] = rank;
	}
	*ret_count = count;
	return ranks;
}

/* The ranks of a group, as far as they fit: "ranks 8, 9 and 10", "ranks 8, 9, 10 and 5 more". */
static void add_ranks(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	enum { SHOWN = 8 };
	uint32_t count, shown;
	const uint32_t *ranks = straggler_ranks(a, g, &count);

	shown = count > SHOWN ? SHOWN : count;
	buf_adds(b, count == 1 ? "rank " : "ranks ");
	for (uint32_t i = 0; i < shown; i++) {
		const char *before = i + 1 == count ? " and " : ", ";

		buf_addf(b, "%s%u", i ? before : "", ranks[i]);
	}
	if (count > shown)
		buf_addf(b, " and %u more", count - shown);
}

/* The node that all of a group are on, where there are several; PART_NO_NUMBER: none. */
static uint32_t common_node(const struct fleet_answer *a, const struct straggler *g)
{
	const uint32_t node = a->job.members[g->who[0]].node;

	for (uint32_t i = 1; i < g->members; i++) {
		if (a->job.members[g->who[i]].node != node)
			return PART_NO_NUMBER;
	}
	return a->job.node_count > 1 ? node : PART_NO_NUMBER;
}

/* The place on their nodes that all of a group have; PART_NO_NUMBER: none. */
static uint32_t common_place(const struct fleet_answer *a, const struct straggler *g)
{
	const uint32_t place = a->job.members[g->who[0]].local;

	for (uint32_t i = 1; i < g->members; i++) {
		if (a->job.members[g->who[i]].local != place)
			return PART_NO_NUMBER;
	}
	return a->job.node_count > 1 ? place : PART_NO_NUMBER;
}

static void add_set(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	add_ranks(b, a, g);
	if (common_node(a, g) != PART_NO_NUMBER)
		buf_addf(b, " of node %u", common_node(a, g));
}

/* "stage 2", "stages 1 and 3" */
static void add_stages(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	const struct roles *roles = &a->stragglers.replay.roles;
	bool *has = mem_zalloc(roles->count, sizeof(*has));
	uint32_t told = 0;

	for (uint32_t i = 0; i < g->members; i++)
		has[roles->of[g->who[i]]] = true;
	buf_adds(b, g->stages > 1 ? "stages " : "stage ");
	for (uint32_t i = 0; i < roles->count; i++) {
		const char *before = told + 1 == g->stages ? " and " : ", ";

		if (has[i])
			buf_addf(b, "%s%u", told++ ? before : "", roles->stage[i]);
	}
	free(has);
}

const char *straggler_name(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	if (g->kind == STRAGGLER_RANK) {
		buf_addf(&b, "rank %u", rank_of(a, g->number));
		return report_take_text(a->report, &b);
	}
	if (g->kind == STRAGGLER_SET) {
		add_set(&b, a, g);
		return report_take_text(a->report, &b);
	}
	if (g->kind == STRAGGLER_STAGE)
		add_stages(&b, a, g);
	else if (g->kind == STRAGGLER_NODE)
		buf_addf(&b, "node %u", g->number);
	else if (g->kind == STRAGGLER_RAIL)
		buf_addf(&b, "rail %u", g->number);
	else if (common_place(a, g) != PART_NO_NUMBER)
		buf_addf(&b, "rail %u", common_place(a, g));
	else
		buf_adds(&b, "a communicator");
	buf_adds(&b, " (");
	add_ranks(&b, a, g);
	buf_addc(&b, ')');
	return report_take_text(a->report, &b);
}

static void add_place(struct buf *b, const char *before, const char *name)
{
	if (*name)
		buf_addf(b, "%s`%s`", before, name);
}

/* "all its kernels take 12.1 % longer", "… 12.1 to 30.4 % …" of several ranks. */
static void add_slowdown(struct buf *b, const struct straggler *g)
{
	double least = g->slower, most = g->slower;

	for (uint32_t i = 0; g->each && i < g->members; i++) {
		least = fmin(least, g->each[i].slower);
		most = fmax(most, g->each[i].slower);
	}
	buf_addf(b, "all %s kernels take ", straggler_is_plural(g) ? "their" : "its");
	if (100 * (most - least) >= 1)
		buf_addf(b, "%.1f to ", 100 * (least - 1));
	buf_addf(b, "%.1f %% longer%s%s", 100 * (most - 1),
		 g->slower_at_times	      ? " than in its other steps"
		 : g->kind == STRAGGLER_STAGE ? " than those of other stages"
					      : "",
		 g->pattern == PATTERN_GROWING ? " on average" : "");
}

/* "held up by its host in `data`" */
static void add_cause(struct buf *b, const struct straggler *g)
{
	switch (g->cause) {
	case SLOW_BY_HOST:
	case SLOW_BY_DATA:
		buf_adds(b,
			 straggler_is_plural(g) ? "held up by their hosts" : "held up by its host");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_CLOCK:
		add_slowdown(b, g);
		break;
	case SLOW_BY_KERNELS:
		buf_adds(b, straggler_is_plural(g) ? "they compute more" : "it computes more");
		add_place(b, " in ", g->path);
		break;
	case SLOW_BY_MORE:
		buf_addf(b, "%s %.1f %% more of the same kernels",
			 straggler_is_plural(g) ? "they launch" : "it launches",
			 100 * (g->slower - 1));
		break;
	case SLOW_BY_COPIES:
		buf_adds(b, "held up by copies");
		break;
	case SLOW_BY_NETWORK:
		buf_adds(b, "its transfers take longer than the same ones elsewhere");
		break;
	default:
		buf_addf(b, "for no reason that %s account shows",
			 straggler_is_plural(g) ? "their" : "its");
		break;
	}
}

static void add_pattern(struct buf *b, const struct straggler *g)
{
	switch (g->pattern) {
	case PATTERN_PERSISTENT:
		buf_adds(b, "in nearly every step");
		break;
	case PATTERN_SINCE:
		buf_addf(b, "since step %u", g->since);
		break;
	case PATTERN_GROWING:
		buf_adds(b, "more and more");
		break;
	case PATTERN_PERIODIC:
		buf_addf(b, "every %u steps", g->period);
		break;
	default:
		buf_adds(b, "now and then");
		break;
	}
}

static bool same_reason(const struct straggler *a, const struct straggler *b)
{
	return a->cause == b->cause && a->pattern == b->pattern && a->period == b->period &&
	       a->since == b->since && strcmp(a->path, b->path) == 0;
}

bool straggler_is_alike(const struct straggler *g)
{
	for (uint32_t i = 0; g->each && i < g->members; i++) {
		if (!same_reason(&g->each[i], g))
			return false;
	}
	return true;
}

void straggler_add_reason(struct buf *b, const struct straggler *g)
{
	add_pattern(b, g);
	buf_adds(b, ": ");
	add_cause(b, g);
}

/* Of the first few of a set, which differ. */
static void add_each(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	enum { SHOWN = 3 };

	for (uint32_t i = 0; i < g->members && i < SHOWN; i++) {
		buf_addf(b, "%srank %u ", i ? "; " : "", rank_of(a, g->who[i]));
		straggler_add_reason(b, &g->each[i]);
	}
	if (g->members > SHOWN)
		buf_addf(b, "; and %u more", g->members - SHOWN);
}

const char *straggler_title(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_adds(&b, straggler_name(a, g));
	buf_adds(&b, straggler_is_plural(g) ? " are late, " : " is late, ");
	if (straggler_is_alike(g))
		straggler_add_reason(&b, g);
	else
		add_each(&b, a, g);
	return report_take_text(a->report, &b);
}

const char *imbalance_title(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	buf_addf(&b, "%s %s ", straggler_name(a, g), g->stages > 1 ? "take" : "takes");
	units_add_ns(&b, g->work_ns);
	buf_adds(&b, " of work a step, the other stages ");
	units_add_ns(&b, g->others_ns);
	buf_adds(&b, ": ");
	if (g->cause == SLOW_BY_KERNELS)
		buf_adds(&b, g->stages > 1 ? "they have other work" : "it has other work");
	else
		add_cause(&b, g);
	return report_take_text(a->report, &b);
}

const char *straggler_sentence(const struct fleet_answer *a, struct buf *b)
{
	if (b->s[0] >= 'a' && b->s[0] <= 'z')
		b->s[0] = (char)(b->s[0] - 'a' + 'A');
	return report_take_text(a->report, b);
}

/* "rank 3 was late in 1 of 12 steps, by 40.0 ms" */
static void add_lateness(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	buf_adds(b, straggler_name(a, g));
	buf_addf(b, "%s late in %zu of %zu steps, by ",
		 g->kind == STRAGGLER_SET || g->stages > 1 ? " were" : " was", g->late_steps,
		 a->stragglers.steps);
	units_add_ns(b, g->late_step_ns);
}

/* "…, which cost 3.1 % of the time" */
static void add_doubt(struct buf *b, const struct fleet_answer *a, const struct straggler *g)
{
	add_lateness(b, a, g);
	buf_addf(b, ", which cost %.1f %% of the time", 100 * g->saved_ns / g->step_ns);
}

static const char *tell_unpriced(const struct fleet_answer *a, const struct straggler *g)
{
	struct buf b = {0};

	add_lateness(&b, a, g);
	buf_adds(&b, "; whether that makes steps longer cannot be told: it shares its GPU with "
		     "other ranks, which would compute longer if it were on time.");
	return straggler_sentence(a, &b);
}

const char *fleet_nobody_is_slow(const struct fleet_answer *a)
{
	const struct straggler *g = &a->stragglers.doubtful;
	struct buf b = {0};

	if (a->stragglers.unpriced.members)
		return tell_unpriced(a, &a->stragglers.unpriced);
	if (!g->members && a->job.missing)
		return arena_printf(&a->report->arena,
				    "None of the %zu ranks here makes the others' steps longer.",
				    a->job.world - a->job.missing);
	if (!g->members)
		return "No rank makes the others' steps longer.";
	buf_adds(&b, "no rank is slow for certain: ");
	if (!a->stragglers.in_turn) {
		add_doubt(&b, a, g);
		buf_adds(&b, "; that may be chance: capture more steps to tell");
	} else {
		buf_adds(&b, "ranks are late in turn");
		/* Ranks that happen to be the latest together say nothing then. */
		if (g->kind == STRAGGLER_RANK) {
			buf_adds(&b, "; ");
			add_doubt(&b, a, g);
		}
	}
	buf_addc(&b, '.');
	return straggler_sentence(a, &b);
}
