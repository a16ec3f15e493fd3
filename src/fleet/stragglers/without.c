/*
 * What would ranks have taken before their collectives, were they like the others?
 *
 * Hosts and GPUs of healthy ranks are late by chance, too. Whoever is slow is so beside that: what
 * it is late by as a rule is taken from it, and what comes and goes as it does elsewhere stays.
 * Were all its delays as long as the usual ones, the job would gain by its luck as well.
 */
#include "analysis/numbers/chance.h"
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 3 }; /* steps that are far later: fewer are chance */

static const double share = 0.5; /* of what a late step has, for another to be as late */
static const double more = 2;	 /* times as late as usual: that is more than chance adds */

struct without {
	struct stragglers *s;
	uint32_t *number;  /* by member: of those that are slow; NOBODY: the others */
	uint32_t count;	   /* of those that are slow */
	double usual_ns;   /* of a step: what the usual one of the others is late by */
	double *taken_ns;  /* by number and step: of its delays; INFINITY: all */
	double *longer_ns; /* by number and step: what those that are longer than usual are so by */
	int64_t *keys, *scratch;
};

/* When a member is late by itself, which is asked again and again. */
static const struct straggler *alone(struct stragglers *s, uint32_t member)
{
	struct straggler *g = &s->alone[member];

	if (!g->members) {
		uint32_t *who = arena_alloc(&s->arena, 1, sizeof(*who));

		*who = member;
		straggler_make(s, STRAGGLER_RANK, member, who, 1, g);
		straggler_find_pattern(s, g);
	}
	return g;
}

/* Whether a step is one of those that it is late in, as far as it was there. */
static bool counts(const struct stragglers *s, const struct straggler *g, size_t step)
{
	if (!s->was_in[g->number * s->steps + step])
		return false;
	if (g->pattern == PATTERN_STRETCH)
		return (g->since == STRETCH_OPEN || s->first_step + step >= g->since) &&
		       s->first_step + step <= g->until;
	return g->pattern == PATTERN_PERSISTENT || g->pattern == PATTERN_GROWING || g->late[step];
}

/* What it is late by in such a step, as a rule: chance makes that longer or shorter. */
static double typical_ns(const struct without *w, const struct straggler *g)
{
	const struct stragglers *s = w->s;
	size_t n = 0;

	for (size_t k = 0; k < s->steps; k++) {
		if (counts(s, g, k))
			w->keys[n++] = sat_of_double(s->late_ns[g->number * s->steps + k]);
	}
	return (double)replay_lower_median(w->keys, w->scratch, n);
}

/* In how many steps the others are late by so much, all together. */
static uint64_t count_late(const struct without *w, double late_ns)
{
	const struct stragglers *s = w->s;
	uint64_t count = 0;

	for (size_t k = 0; k < s->steps; k++) {
		const uint32_t *latest = &s->latest[k * s->latest_count];

		for (uint32_t i = 0; i < s->latest_count; i++) {
			if (s->late_ns[latest[i] * s->steps + k] < late_ns)
				break;
			count += w->number[latest[i]] == NOBODY;
		}
	}
	return count;
}

/* So many steps that are late, and what each is late by. */
struct late_steps {
	uint64_t count;
	double ns;
};

/*
 * Whether others are late by as much now and then, so that of all such steps any of them might have
 * as many as this one has.
 */
static bool are_luck(const struct without *w, struct late_steps late)
{
	const double rivals = (double)(w->s->job->member_count - w->count + 1);
	const uint64_t others = count_late(w, share * late.ns);

	return others &&
	       chance_at_least(others + late.count, late.count, 1 / rivals) * rivals > luck;
}

static bool is_luck(const struct without *w, const struct straggler *g)
{
	return g->pattern == PATTERN_NOW_AND_THEN &&
	       are_luck(w, (struct late_steps){g->late_steps, g->late_step_ns});
}

/* Steps that are late by so much. */
static struct late_steps find_steps(const struct without *w, const struct straggler *g,
				    double least)
{
	const struct stragglers *s = w->s;
	struct late_steps found = {0};
	size_t n = 0;

	for (size_t k = 0; k < s->steps; k++) {
		const double ns = s->late_ns[g->number * s->steps + k];

		if (counts(s, g, k) && ns >= least)
			w->keys[n++] = sat_of_double(ns);
	}
	found.count = n;
	found.ns = (double)replay_lower_median(w->keys, w->scratch, n);
	return found;
}

/*
 * A rank that is always late may be far later every so often, as after each time that all hosts
 * wait for their GPUs: that is its own, too, where others are not.
 */
static double find_least_more(const struct without *w, const struct straggler *g, double typical)
{
	const double least = fmax(more * typical, typical + least_worth(w->s));
	const struct late_steps found = find_steps(w, g, least);

	return found.count >= FEW && !are_luck(w, found) ? least : INFINITY;
}

static void find_taken(const struct without *w, const struct straggler *g)
{
	const size_t first = g->number * w->s->steps;
	double *taken_ns = &w->taken_ns[w->number[g->number] * w->s->steps];
	double ns = INFINITY, least_more = INFINITY;

	if (g->pattern == PATTERN_NOW_AND_THEN) {
		ns = is_luck(w, g) ? 0 : INFINITY;
	} else if (g->pattern != PATTERN_GROWING) {
		const double typical = typical_ns(w, g);

		ns = fmax(0, typical - w->usual_ns);
		least_more = find_least_more(w, g, typical);
	}
	for (size_t k = 0; k < w->s->steps; k++) {
		if (!counts(w->s, g, k))
			taken_ns[k] = 0;
		else
			taken_ns[k] = w->s->late_ns[first + k] >= least_more ? INFINITY : ns;
	}
}

/* By the same rule, of those that are not slow: how they are late is chance. */
static double usual_of_others(const struct without *w)
{
	const size_t n = w->s->job->member_count;
	int64_t *keys = mem_alloc(n, sizeof(*keys)), *scratch = mem_alloc(n, sizeof(*scratch));
	size_t others = 0;
	int64_t usual_ns;

	for (uint32_t i = 0; i < n; i++) {
		if (w->number[i] == NOBODY)
			keys[others++] = w->s->usual_late_ns[i];
	}
	usual_ns = replay_lower_median(keys, scratch, others);
	free(scratch);
	free(keys);
	return usual_ns > 0 ? (double)usual_ns : 0;
}

static double longer_by(const struct replay_stop *stop)
{
	if (stop->before == REPLAY_NONE)
		return 0;
	return fmax(0, (double)replay_late_ns(stop));
}

/* From each delay its share. */
static int64_t shorten(const struct replay_stop *stop, double taken_ns, double all_ns)
{
	if (taken_ns <= 0)
		return stop->lag_ns;
	if (taken_ns >= all_ns)
		return stop->usual_lag_ns;
	return sat_sub(stop->lag_ns, sat_of_double(longer_by(stop) / all_ns * taken_ns));
}

/* What is done to each delay of those that are slow in a known step: `lags` are NULL at first. */
static void walk(const struct without *w, int64_t *lags)
{
	const struct stragglers *s = w->s;

	for (size_t i = 0; i < s->replay.count; i++) {
		const struct replay_visit *v = &s->replay.visits[i];
		const uint32_t step = s->step_of[i];

		for (uint32_t k = v->first; k < v->first + v->count; k++) {
			const struct replay_stop *stop = &s->replay.stops[k];
			const uint32_t number = w->number[stop->is.member];
			const size_t at = step == NOBODY ? 0 : number * s->steps + step;

			if (number == NOBODY)
				continue;
			if (!lags)
				w->longer_ns[at] +=
					step == NOBODY || !stop->is_counted ? 0 : longer_by(stop);
			else
				lags[k] = step == NOBODY ? stop->usual_lag_ns
							 : shorten(stop, w->taken_ns[at],
								   w->longer_ns[at]);
		}
	}
}

static void take(const struct without *w, const uint32_t *who, uint32_t count, int64_t *lags)
{
	for (uint32_t i = 0; i < count; i++)
		find_taken(w, alone(w->s, who[i]));
	walk(w, NULL);
	for (size_t i = 0; i < w->s->replay.stop_count; i++)
		lags[i] = w->s->replay.stops[i].lag_ns;
	walk(w, lags);
}

static void open_without(struct stragglers *s, const uint32_t *who, uint32_t count,
			 struct without *ret)
{
	const size_t n = s->job->member_count;

	*ret = (struct without){.s = s, .count = count, .number = mem_alloc(n, sizeof(uint32_t))};
	memset(ret->number, 0xff, n * sizeof(*ret->number));
	for (uint32_t i = 0; i < count; i++)
		ret->number[who[i]] = i;
}

int64_t *lags_without(struct stragglers *s, const uint32_t *who, uint32_t count)
{
	const size_t cells = count * s->steps;
	int64_t *lags = mem_alloc(s->replay.stop_count, sizeof(*lags));
	struct without w;

	open_without(s, who, count, &w);
	w.taken_ns = mem_zalloc(cells, sizeof(*w.taken_ns));
	w.longer_ns = mem_zalloc(cells, sizeof(*w.longer_ns));
	w.keys = mem_alloc(s->steps, sizeof(*w.keys));
	w.scratch = mem_alloc(s->steps, sizeof(*w.scratch));
	w.usual_ns = usual_of_others(&w);
	take(&w, who, count, lags);
	free(w.scratch);
	free(w.keys);
	free(w.longer_ns);
	free(w.taken_ns);
	free(w.number);
	return lags;
}

uint32_t drop_lucky(struct stragglers *s, const uint32_t *who, uint32_t count, uint32_t *ret)
{
	struct without w;
	uint32_t kept = 0;

	open_without(s, who, count, &w);
	for (uint32_t i = 0; i < count; i++) {
		if (!is_luck(&w, alone(s, who[i])))
			ret[kept++] = who[i];
	}
	free(w.number);
	return kept;
}
