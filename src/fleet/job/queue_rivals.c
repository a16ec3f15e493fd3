/* At which other places might two queues follow each other as well, and which one is right? */
#include "fleet/job/queue_rivals.h"
#include "fleet/job/queue_names.h"
#include "fleet/job/queue_place.h"

#include "base/sort.h"

enum {
	SOME = 31,	/* kernels that say which is beside which by one clock */
	STEPS_NEAR = 2, /* around a place that a rival is looked for in */
	NEAR_LEAST = 32,
	NEAR_MOST = 512,
	FAR = 2048,	   /* kernels from a likely place … */
	FAR_BY_NAME = 512, /* … of those that may not even belong together */
	MANY = 32,	   /* kernels: fewer may be even by chance */
	RIVALS_MAX = 32,   /* that are kept */
	LOST_MAX = 4	   /* kernels that captures of the same steps may lack */
};

static const double far_less = 3;  /* times as unevenly: ranks do not leave like that by chance */
static const double few_less = 10; /* the same of few kernels */
static const double always_ns = 1000; /* that clocks of GPUs are read wrongly by */
static const double uneven = 100e3;   /* ns in the middle: they hardly leave it together */
static const double near_enough_ns =
	100e6;			/* that UTC is wrong by, for as many on both to be the same */
static const double nearer = 2; /* times as near to UTC as any other */

struct rival {
	struct queue_place at;
	struct queue_evenness leaves;
};

struct search {
	const struct queue_pair *p;
	struct rival all[RIVALS_MAX];
	size_t count;
	struct queue_evenness best;
};

/* Who leaves far less evenly than at the best place is at the wrong one. */
static bool is_out(struct queue_evenness x, struct queue_evenness best)
{
	return x.ns > (best.of < MANY ? few_less : far_less) * best.ns + always_ns;
}

static bool is_near_rival(const struct queue_pair *p, const struct queue_place *of,
			  struct queue_evenness best, int64_t place)
{
	struct queue_place at = {.first = of->first, .count = of->count, .place = place};

	return !is_out(queue_place_evenness(p, &at), best) && queue_place_try(p, &at) &&
	       queue_names_at(p, place) != NAMES_DIFFER;
}

/* Kernels around a place among which those of the next steps are. */
static int64_t reach(const struct queue_pair *p)
{
	const size_t steps = p->job->members[p->b->member].is->step_count;
	const size_t each = steps ? STEPS_NEAR * (p->b->count / steps + 1) : NEAR_LEAST;

	return each < NEAR_LEAST ? NEAR_LEAST : each > NEAR_MOST ? NEAR_MOST : (int64_t)each;
}

/* Whether the capture saw its member enter the communicator: its first kernel is the first. */
static bool saw_setup(const struct queue_pair *p, const struct instance_queue *q)
{
	const struct part_member *m = p->job->members[q->member].is;

	return m->classes[m->collectives[q->kernels[0]].class].own != 0;
}

bool queue_rivals_none(const struct queue_pair *p, const struct queue_place *at)
{
	const struct queue_evenness own = queue_place_evenness(p, at);
	const int64_t far = reach(p);

	if (p->together || p->leaves_early || (saw_setup(p, p->a) && saw_setup(p, p->b)))
		return true;
	/* Nobody leaves anything together here: the right place may be elsewhere. */
	if (own.ns > uneven || queue_names_at(p, at->place) == NAMES_DIFFER)
		return false;
	for (int64_t i = 1; i <= far; i++) {
		if (is_near_rival(p, at, own, at->place + i) ||
		    is_near_rival(p, at, own, at->place - i))
			return false;
	}
	return true;
}

/* Drops those that leave too unevenly. */
static void prune(struct search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (!is_out(s->all[i].leaves, s->best))
			s->all[kept++] = s->all[i];
	}
	s->count = kept;
}

static bool is_listed(const struct search *s, int64_t place)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].at.place == place)
			return true;
	}
	return false;
}

static void try_rival(struct search *s, int64_t place)
{
	struct rival r = {.at = {.count = s->p->b->count, .place = place}};

	r.leaves = queue_place_evenness(s->p, &r.at);
	if (is_out(r.leaves, s->best) || is_listed(s, place) ||
	    (s->count == RIVALS_MAX && !is_out(s->best, r.leaves)) || !queue_place_try(s->p, &r.at))
		return;
	if (r.leaves.ns < s->best.ns)
		s->best = r.leaves;
	if (s->count == RIVALS_MAX)
		prune(s);
	if (s->count < RIVALS_MAX)
		s->all[s->count++] = r;
}

static void look_around(struct search *s, int64_t place)
{
	const int64_t far = s->p->by_name ? FAR_BY_NAME : FAR;

	for (int64_t i = 0; i <= far; i++) {
		try_rival(s, place + i);
		try_rival(s, place - i);
	}
}

static const struct rival *find_place(const struct search *s, int64_t place)
{
	for (size_t i = 0; i < s->count; i++) {
		if (s->all[i].at.place == place)
			return &s->all[i];
	}
	return NULL;
}

/* The nearest to UTC; *ret_clear: by far. */
static const struct rival *find_nearest(const struct search *s, bool *ret_clear)
{
	const struct rival *best = &s->all[0];

	for (size_t i = 1; i < s->count; i++)
		best = s->all[i].at.far_ns < best->at.far_ns ? &s->all[i] : best;
	*ret_clear = s->p->has_utc;
	for (size_t i = 0; i < s->count; i++)
		*ret_clear &= &s->all[i] == best ||
			      s->all[i].at.far_ns > nearer * best->at.far_ns + QUEUE_MACHINE_NS;
	return best;
}

static double farthest(const struct search *s, const struct rival *from)
{
	double far_ns = 0;

	for (size_t i = 0; i < s->count; i++)
		far_ns = fmax(far_ns, fabs(s->all[i].at.fit.at_zero_ns - from->at.fit.at_zero_ns));
	return far_ns;
}

/* Where names of steps agree anywhere, they are right: what contradicts them is dropped. */
static void ask_names(struct search *s)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < s->count && s->count > 1; i++)
		any |= queue_names_at(s->p, s->all[i].at.place) == NAMES_AGREE;
	for (size_t i = 0; i < s->count && any; i++) {
		if (queue_names_at(s->p, s->all[i].at.place) != NAMES_DIFFER)
			s->all[kept++] = s->all[i];
	}
	s->count = any ? kept : s->count;
}

/*
 * Captures of one machine have one clock: where that fits anywhere, it is not moved by a step,
 * however well that does.
 */
static void ask_machine(struct search *s)
{
	size_t kept = 0;
	bool any = false;

	for (size_t i = 0; i < s->count && s->p->one_machine; i++)
		any |= s->all[i].at.far_ns <= QUEUE_MACHINE_NS;
	for (size_t i = 0; i < s->count && any; i++) {
		if (s->all[i].at.far_ns <= QUEUE_MACHINE_NS)
			s->all[kept++] = s->all[i];
	}
	s->count = any ? kept : s->count;
}

/* Of several that leave as evenly. */
static const struct rival *choose(const struct search *s, int64_t expected, double *ret_doubt_ns)
{
	const struct queue_pair *p = s->p;
	const int64_t more = (int64_t)p->a->count - (int64_t)p->b->count;
	const struct rival *likely = find_place(s, expected), *nearest;
	bool clear;

	*ret_doubt_ns = 0;
	if (s->count == 1)
		return &s->all[0];
	if (likely && saw_setup(p, p->a) && saw_setup(p, p->b))
		return likely;
	nearest = find_nearest(s, &clear);
	/* Captures that begin or end with the same collective, and do so by UTC, too. */
	if (clear && (nearest->at.place == expected || nearest->at.place == more ||
		      (p->one_machine && nearest->at.far_ns <= QUEUE_MACHINE_NS)))
		return nearest;
	if (likely && more == 0 && p->has_utc && likely->at.far_ns <= near_enough_ns)
		return likely;
	nearest = likely && more == 0 ? likely : nearest;
	*ret_doubt_ns = farthest(s, nearest);
	return nearest;
}

bool queue_rivals_beat(const struct queue_pair *p, const struct queue_place *better,
		       const struct queue_place *other)
{
	return is_out(queue_place_evenness(p, other), queue_place_evenness(p, better)) ||
	       (queue_names_at(p, better->place) == NAMES_AGREE &&
		queue_names_at(p, other->place) == NAMES_DIFFER);
}

bool queue_rivals_find(const struct queue_pair *p, int64_t expected, struct queue_place *ret,
		       double *ret_doubt_ns)
{
	struct search s = {.p = p, .best = {INFINITY, MANY}};
	int64_t said;

	try_rival(&s, expected);
	if (queue_names_find(p, &said))
		try_rival(&s, said);
	look_around(&s, queue_pair_by_time(p, 0));
	look_around(&s, expected);
	look_around(&s, (int64_t)p->a->count - (int64_t)p->b->count);
	prune(&s);
	ask_machine(&s);
	ask_names(&s);
	if (!s.count)
		return false;
	*ret = choose(&s, expected, ret_doubt_ns)->at;
	return true;
}

/* Kernels that both have more or less of, if one machine's clock says when: of half a step. */
static bool begins_elsewhere(const struct queue_pair *p, int64_t expected)
{
	const size_t steps = p->job->members[p->b->member].is->step_count;
	const int64_t apart = queue_pair_by_time(p, 0) - expected;

	return p->one_machine && steps &&
	       2 * (apart < 0 ? -apart : apart) > (int64_t)(p->b->count / steps);
}

/* By the clock of both alone: where most of some kernels of b are over with one of a's. */
static int64_t place_by_ends(const struct queue_pair *p)
{
	int64_t places[SOME], scratch[SOME];

	for (size_t i = 0; i < SOME; i++) {
		struct queue_place at;

		queue_pair_find_by_clock(p, i * (p->b->count - 1) / (SOME - 1), &at);
		places[i] = at.place;
	}
	sort_i64(places, scratch, SOME);
	return places[SOME / 2];
}

int64_t queue_rivals_likely(const struct queue_pair *p, int64_t expected)
{
	const int64_t more = (int64_t)p->a->count - (int64_t)p->b->count;
	const enum queue_names said = queue_names_at(p, expected);
	const bool as_many =
		more <= LOST_MAX && more >= -LOST_MAX && !begins_elsewhere(p, expected);
	struct queue_place at = {.count = p->b->count, .place = expected};
	double doubt_ns;
	int64_t place;

	if (said == NAMES_AGREE)
		return expected;
	if (said == NAMES_DIFFER && queue_names_find(p, &place))
		return place;
	if (as_many && queue_place_is_even(p, &at))
		return expected;
	if (p->one_machine)
		return as_many ? expected : place_by_ends(p);
	if (!queue_rivals_find(p, expected, &at, &doubt_ns))
		return expected;
	return as_many && !queue_place_is_even(p, &at) ? expected : at.place;
}
