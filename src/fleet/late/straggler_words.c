/* What people read of a straggler: who, when and why. */
#include "fleet/late/straggler_words.h"

#include "base/mem.h"
#include "text/units.h"

#include <stdlib.h>

const char *const straggler_cause_keys[STRAGGLER_CAUSES] = {
	[SLOW_BY_HOST] = "host",	 [SLOW_BY_DATA] = "data",     [SLOW_BY_CLOCK] = "clock",
	[SLOW_BY_KERNELS] = "compute",	 [SLOW_BY_COPIES] = "copies", [SLOW_BY_NETWORK] = "network",
	[SLOW_BY_MORE] = "more_kernels", [SLOW_BY_WHAT] = "unknown",
};

static const char *take_text(struct arena *arena, struct buf *b)
{
	const char *text = arena_str(arena, buf_str(b)).s;

	buf_free(b);
	return text;
}

static uint32_t rank_of(const struct stragglers *s, uint32_t member)
{
	return s->job->members[member].is->rank;
}

const uint32_t *straggler_ranks(const struct stragglers *s, const struct straggler *g,
				struct arena *arena, uint32_t *ret_count)
{
	uint32_t *ranks = arena_alloc(arena, g->members, sizeof(*ranks)), count = 0;

	for (uint32_t i = 0; i < g->members; i++) {
		const uint32_t rank = rank_of(s, g->who[i]);

		/* One that uses several GPUs is a member on each. */
		if (!count || ranks[count - 1] != rank)
			ranks[count++] = rank;
	}
	*ret_count = count;
	return ranks;
}

/* The ranks of a group, as far as they fit: "ranks 8, 9 and 10", "ranks 8, 9, 10 and 5 more". */
static void add_ranks(struct buf *b, const struct stragglers *s, const struct straggler *g,
		      struct arena *arena)
{
	enum { SHOWN = 8 };
	uint32_t count, shown;
	const uint32_t *ranks = straggler_ranks(s, g, arena, &count);

	shown = count > SHOWN ? SHOWN : count;
	buf_adds(b, count == 1 ? "rank " : "ranks ");
	for (uint32_t i = 0; i < shown; i++) {
		const char *before = i + 1 == count ? " and " : ", ";

		buf_addf(b, "%s%u", i ? before : "", ranks[i]);
	}
	if (count > shown)
		buf_addf(b, " and %u more", count - shown);
}

static uint32_t node_of(const struct job_member *m)
{
	return m->node;
}

/* Its place on its node. */
static uint32_t place_of(const struct job_member *m)
{
	return m->local;
}

/* The node or place that all of a group have, where there are several nodes; PART_NO_NUMBER: none.
 */
static uint32_t common(const struct stragglers *s, const struct straggler *g,
		       uint32_t (*of)(const struct job_member *m))
{
	const uint32_t number = of(&s->job->members[g->who[0]]);

	for (uint32_t i = 1; i < g->members; i++) {
		if (of(&s->job->members[g->who[i]]) != number)
			return PART_NO_NUMBER;
	}
	return s->job->node_count > 1 ? number : PART_NO_NUMBER;
}

static void add_set(struct buf *b, const struct stragglers *s, const struct straggler *g,
		    struct arena *arena)
{
	add_ranks(b, s, g, arena);
	if (common(s, g, node_of) != PART_NO_NUMBER)
		buf_addf(b, " of node %u", common(s, g, node_of));
}

/* "stage 2", "stages 1 and 3" */
static void add_stages(struct buf *b, const struct stragglers *s, const struct straggler *g)
{
	const struct roles *roles = &s->replay.roles;
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

const char *straggler_name(const struct stragglers *s, const struct straggler *g,
			   struct arena *arena)
{
	struct buf b = {0};

	if (g->kind == STRAGGLER_RANK) {
		buf_addf(&b, "rank %u", rank_of(s, g->number));
		return take_text(arena, &b);
	}
	if (g->kind == STRAGGLER_SET) {
		add_set(&b, s, g, arena);
		return take_text(arena, &b);
	}
	if (g->kind == STRAGGLER_STAGE)
		add_stages(&b, s, g);
	else if (g->kind == STRAGGLER_NODE)
		buf_addf(&b, "node %u", g->number);
	else if (g->kind == STRAGGLER_RAIL)
		buf_addf(&b, "rail %u", g->number);
	else if (common(s, g, place_of) != PART_NO_NUMBER)
		buf_addf(&b, "rail %u", common(s, g, place_of));
	else
		buf_adds(&b, "a communicator");
	buf_adds(&b, " (");
	add_ranks(&b, s, g, arena);
	buf_addc(&b, ')');
	return take_text(arena, &b);
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

static void add_stretch(struct buf *b, const struct straggler *g)
{
	if (g->until == STRETCH_OPEN)
		buf_addf(b, "since step %u", g->since);
	else if (g->since == STRETCH_OPEN)
		buf_addf(b, "until step %u", g->until);
	else
		buf_addf(b, "from step %u to step %u", g->since, g->until);
}

static void add_pattern(struct buf *b, const struct straggler *g)
{
	switch (g->pattern) {
	case PATTERN_PERSISTENT:
		buf_adds(b, "in nearly every step");
		break;
	case PATTERN_STRETCH:
		add_stretch(b, g);
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
	       a->since == b->since && a->until == b->until && strcmp(a->path, b->path) == 0;
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
static void add_each(struct buf *b, const struct stragglers *s, const struct straggler *g)
{
	enum { SHOWN = 3 };

	for (uint32_t i = 0; i < g->members && i < SHOWN; i++) {
		buf_addf(b, "%srank %u ", i ? "; " : "", rank_of(s, g->who[i]));
		straggler_add_reason(b, &g->each[i]);
	}
	if (g->members > SHOWN)
		buf_addf(b, "; and %u more", g->members - SHOWN);
}

const char *straggler_title(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena)
{
	struct buf b = {0};

	buf_adds(&b, straggler_name(s, g, arena));
	buf_adds(&b, straggler_is_plural(g) ? " are late, " : " is late, ");
	if (straggler_is_alike(g))
		straggler_add_reason(&b, g);
	else
		add_each(&b, s, g);
	return take_text(arena, &b);
}

const char *imbalance_title(const struct stragglers *s, const struct straggler *g,
			    struct arena *arena)
{
	struct buf b = {0};

	buf_addf(&b, "%s %s ", straggler_name(s, g, arena), g->stages > 1 ? "take" : "takes");
	units_add_ns(&b, g->work_ns);
	buf_adds(&b, " of work a step, the other stages ");
	units_add_ns(&b, g->others_ns);
	buf_adds(&b, ": ");
	if (g->cause == SLOW_BY_KERNELS)
		buf_adds(&b, g->stages > 1 ? "they have other work" : "it has other work");
	else
		add_cause(&b, g);
	return take_text(arena, &b);
}

const char *straggler_sentence(const char *text, struct arena *arena)
{
	char *sentence = arena_strdup(arena, text);

	if (*sentence >= 'a' && *sentence <= 'z')
		*sentence = (char)(*sentence - 'a' + 'A');
	return sentence;
}

const char *straggler_verdict(const struct stragglers *s, const struct straggler *g,
			      struct arena *arena)
{
	struct buf b = {0};

	buf_adds(&b, straggler_sentence(straggler_title(s, g, arena), arena));
	buf_addf(&b, ". Were %s like the others, a step would take ",
		 straggler_is_plural(g) ? "they" : "it");
	units_add_ns(&b, g->step_ns - g->saved_ns);
	buf_adds(&b, " instead of ");
	units_add_ns(&b, g->step_ns);
	buf_addf(&b, " (%.1f %%).", 100 * g->saved_ns / g->step_ns);
	return take_text(arena, &b);
}
