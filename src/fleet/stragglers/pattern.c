/* In which steps is a straggler late: in all, in one stretch, more and more, or every so often? */
#include "base/mem.h"
#include "base/sort.h"
#include "fleet/stragglers/search.h"

#include <stdlib.h>

enum {
	FEW = 3,   /* times that something has to happen to have a period */
	SPELL = 5, /* late steps in a row, between others: fewer may well be chance */
};

static const double nearly_all = 0.8, clearly = 0.95;
static const double late_share = 0.5; /* of what late steps have: more is late */
static const double grows = 2;	    /* times as late in the last third as in the first, at least */
static const double goes_on = 1.25; /* from each third to the next */
static const double much = 0.25;    /* of what it is late by, in steps between late ones */

/* Steps that something may be late in: in how many, which, and how late it is. */
struct lateness {
	size_t n;
	double *ns;
	uint32_t *step;
	bool *late;
};

static void sum_steps(const struct stragglers *s, const struct straggler *g, double *ns, bool *met)
{
	if (g->kind == STRAGGLER_COMMUNICATOR) {
		transfers_by_step(s, g->number, ns, met);
		return;
	}
	if (g->kind == STRAGGLER_STAGE) {
		for (size_t k = 0; k < s->steps; k++) {
			met[k] = !isnan(g->by_step_ns[k]);
			ns[k] = g->by_step_ns[k];
		}
		return;
	}
	for (uint32_t i = 0; i < g->members; i++) {
		const size_t first = g->who[i] * s->steps;

		for (size_t k = 0; k < s->steps; k++) {
			ns[k] += s->late_ns[first + k] / g->members;
			met[k] |= s->was_in[first + k];
		}
	}
}

/* How late the ranks of a group are on average, or the transfers, in the steps that have some. */
static struct lateness list_steps(const struct stragglers *s, const struct straggler *g)
{
	struct lateness l = {.ns = mem_zalloc(s->steps, sizeof(*l.ns)),
			     .step = mem_alloc(s->steps, sizeof(*l.step)),
			     .late = mem_zalloc(s->steps, sizeof(*l.late))};
	bool *met = mem_zalloc(s->steps, sizeof(*met));

	sum_steps(s, g, l.ns, met);
	for (size_t i = 0; i < s->steps; i++) {
		if (!met[i])
			continue;
		l.ns[l.n] = l.ns[i];
		l.step[l.n++] = (uint32_t)i;
	}
	free(met);
	return l;
}

static double quantile_of(const double *values, size_t n, double q)
{
	int64_t *keys = mem_alloc(n, sizeof(*keys)), *scratch = mem_alloc(n, sizeof(*scratch));
	double result;

	for (size_t i = 0; i < n; i++)
		keys[i] = sort_key_of_double(values[i]);
	sort_i64(keys, scratch, n);
	result = n ? sort_double_of_key(keys[(size_t)(q * (double)(n - 1))]) : 0;
	free(scratch);
	free(keys);
	return result;
}

struct stretch {
	size_t from, to;
};

/* The steps one after the other that have the most late ones more than others. */
static struct stretch find_densest(const bool *late, size_t n)
{
	struct stretch best = {0}, at = {0};
	int64_t most = 0, more = 0;

	for (size_t i = 0; i < n; i++) {
		if (more <= 0) {
			at.from = i;
			more = 0;
		}
		more += late[i] ? 1 : -1;
		if (more > most) {
			most = more;
			best = (struct stretch){at.from, i + 1};
		}
	}
	return best;
}

/* A stretch of steps, and how many late ones are in it, and elsewhere. */
struct found_stretch {
	struct stretch is;
	size_t length, within, elsewhere;
};

static struct found_stretch look_for_stretch(const bool *late, size_t n)
{
	struct found_stretch s = {.is = find_densest(late, n)};

	s.length = s.is.to - s.is.from;
	for (size_t i = 0; i < n; i++) {
		if (late[i] && i >= s.is.from && i < s.is.to)
			s.within++;
		else
			s.elsewhere += late[i];
	}
	return s;
}

/*
 * Where nearly all steps of one stretch are late, and nearly none else, of those steps and of those
 * that are late: of two spells neither is all.
 */
static bool is_stretch(const struct found_stretch *s, size_t n)
{
	return s->length >= (s->is.to + FEW > n ? FEW : SPELL) &&
	       (s->is.from >= FEW || s->is.to + FEW <= n) &&
	       (double)s->within >= nearly_all * (double)s->length &&
	       (double)s->elsewhere <= (1 - nearly_all) * (double)(n - s->length) &&
	       (double)s->elsewhere <= (1 - nearly_all) * (double)(s->within + s->elsewhere);
}

/* The same though nearly all steps are late: none before it, or after it, is. */
static bool is_clear_stretch(const struct found_stretch *s, size_t n)
{
	return is_stretch(s, n) && !s->elsewhere &&
	       (double)s->within >= clearly * (double)s->length;
}

/* Fewer steps than FEW before it, or after it, do not say that it began, or ended. */
static void set_stretch(const struct stragglers *s, struct straggler *g, const struct lateness *l,
			struct stretch of)
{
	g->pattern = PATTERN_STRETCH;
	g->since = of.from >= FEW ? s->first_step + l->step[of.from] : STRETCH_OPEN;
	g->until = of.to + FEW <= l->n ? s->first_step + l->step[of.to - 1] : STRETCH_OPEN;
}

/* The usual distance of late steps, where nearly all of them have it; 0: they do not. */
static uint32_t find_period(const struct lateness *l, size_t steps)
{
	uint32_t *distances = mem_zalloc(steps + 1, sizeof(*distances)), best = 0, all = 0;
	size_t last = l->n;

	for (size_t i = 0; i < l->n; i++) {
		if (!l->late[i])
			continue;
		if (last < l->n) {
			distances[l->step[i] - l->step[last]]++;
			all++;
		}
		last = i;
	}
	for (uint32_t i = 1; i <= steps; i++)
		best = distances[i] > distances[best] ? i : best;
	if (best < 2 || all + 1 < FEW || (double)distances[best] < nearly_all * all)
		best = 0;
	free(distances);
	return best;
}

static double mean_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / (double)n : 0;
}

/*
 * What is left of the squares when steps before one have a value and those from it on another, for
 * the best such step: each sum of squares less what its mean takes of it.
 */
static double rest_of_best_jump(const double *ns, size_t n)
{
	const double mean = mean_of(ns, n);
	double squares = 0, before = 0, most = 0;

	for (size_t i = 0; i < n; i++)
		squares += (ns[i] - mean) * (ns[i] - mean);
	for (size_t at = 1; at < n; at++) {
		before += ns[at - 1] - mean;
		most = fmax(most,
			    before * before / (double)at + before * before / (double)(n - at));
	}
	return squares - most;
}

/* The same of the line that fits best. */
static double rest_of_line(const double *ns, size_t n)
{
	const double mean = mean_of(ns, n), middle = (double)(n - 1) / 2;
	double squares = 0, products = 0, rest = 0, slope;

	for (size_t i = 0; i < n; i++) {
		squares += ((double)i - middle) * ((double)i - middle);
		products += ((double)i - middle) * (ns[i] - mean);
	}
	slope = squares > 0 ? products / squares : 0;
	for (size_t i = 0; i < n; i++) {
		const double off = ns[i] - mean - slope * ((double)i - middle);

		rest += off * off;
	}
	return rest;
}

/*
 * From third to third, so much that it is what makes it late, not jitter, and more like a line than
 * like a jump.
 */
static bool is_growing(const double *ns, size_t n, double late_ns)
{
	const size_t third = n / 3;
	const double first = quantile_of(ns, third, 0.5);
	const double middle = quantile_of(ns + third, third, 0.5);
	const double last = quantile_of(ns + n - third, third, 0.5);

	return third >= FEW && last >= late_ns && last > grows * first &&
	       middle > goes_on * first && last > goes_on * middle &&
	       rest_of_line(ns, n) < rest_of_best_jump(ns, n);
}

/* Steps from so much on are late; the group keeps them, how many they are and by how much. */
static void mark_late(struct stragglers *s, struct straggler *g, struct lateness *l, double least)
{
	bool *late = arena_zalloc(&s->arena, s->steps, sizeof(*late));
	double sum = 0;

	g->late_steps = 0;
	for (size_t i = 0; i < l->n; i++) {
		l->late[i] = l->ns[i] > 0 && l->ns[i] >= least;
		late[l->step[i]] = l->late[i];
		g->late_steps += l->late[i];
		sum += l->late[i] ? l->ns[i] : 0;
	}
	g->late = late;
	g->late_step_ns = g->late_steps ? sum / (double)g->late_steps : 0;
}

static void find_late(struct stragglers *s, struct straggler *g, struct lateness *l)
{
	double least = late_share * quantile_of(l->ns, l->n, 0.9);

	/* Where few are late, the highest say what late is. */
	if (least < late_share * g->late_ns)
		least = late_share * quantile_of(l->ns, l->n, 1);
	mark_late(s, g, l, least);
}

/* Whether nearly all steps are late by what is worth telling, though some by far more. */
static bool is_always_late(const struct stragglers *s, const struct lateness *l)
{
	size_t late = 0;

	for (size_t i = 0; i < l->n; i++)
		late += is_worth(s, l->ns[i]);
	return l->n && (double)late >= nearly_all * (double)l->n;
}

/* Of all that it is late by: so much in steps that are no late ones. */
static double share_of_others(const struct lateness *l)
{
	double all = 0, others = 0;

	for (size_t i = 0; i < l->n; i++) {
		all += fmax(0, l->ns[i]);
		others += l->late[i] ? 0 : fmax(0, l->ns[i]);
	}
	return all > 0 ? others / all : 0;
}

/* What comes every so often may be most of it, beside what is in each step. */
static bool is_late_between(const struct stragglers *s, const struct lateness *l)
{
	return is_always_late(s, l) && share_of_others(l) >= much;
}

void straggler_find_pattern(struct stragglers *s, struct straggler *g)
{
	struct lateness l = list_steps(s, g);
	struct found_stretch stretch;
	bool nearly;

	find_late(s, g, &l);
	stretch = look_for_stretch(l.late, l.n);
	nearly = (double)g->late_steps >= nearly_all * (double)l.n;
	g->pattern = PATTERN_NOW_AND_THEN;
	if (is_growing(l.ns, l.n, g->late_ns)) {
		g->pattern = PATTERN_GROWING;
	} else if (nearly ? is_clear_stretch(&stretch, l.n) : is_stretch(&stretch, l.n)) {
		set_stretch(s, g, &l, stretch.is);
	} else if (nearly) {
		g->pattern = PATTERN_PERSISTENT;
	} else if (!is_late_between(s, &l) && (g->period = find_period(&l, s->steps))) {
		g->pattern = PATTERN_PERIODIC;
	} else if (is_always_late(s, &l)) {
		g->pattern = PATTERN_PERSISTENT;
		mark_late(s, g, &l, least_worth(s));
	}
	free(l.late);
	free(l.step);
	free(l.ns);
}
