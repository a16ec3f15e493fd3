/*
 * Does src/statistics keep its promises? Trials on synthetic steps whose truth is known, a line of
 * figures for each setting, or those with a word in their name: trials PAIRS [WORD].
 * tests/statistics/promises says what they must be.
 *
 * Where the run-to-run spread is known for one run a side, the trials have that spread: an interval
 * that counts on it, tried on runs without any, would only show that it is too wide.
 */
#include "base/mem.h"
#include "statistics/compare.h"
#include "statistics/portable_math.h"
#include "statistics/random.h"
#include "statistics/run_spread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum spread { UNKNOWN, SAID, TOLD };

/* Shares of the mean: 0.01 is one percent. */
struct setting {
	const char *name;
	size_t before, after, steps;
	double step_sd, phi;		/* of steps, and how much of a step the next one keeps */
	double slow_share, slow, stays; /* a second mode: how many steps, by how much, how long */
	size_t period;			/* every so many steps one takes longer by `slow` */
	double run_sd, pair_sd;		/* what runs have of their own, what pairs share */
	enum spread spread;
	size_t baseline; /* runs that the spread is told from */
	bool paired;
};

static const struct setting settings[] = {
	{"1+1, 40 independent steps", 1, 1, 40, .step_sd = 0.03, .spread = SAID},
	{"1+1, AR 0.5", 1, 1, 120, .step_sd = 0.03, .phi = 0.5, .spread = SAID},
	{"1+1, AR 0.8", 1, 1, 400, .step_sd = 0.03, .phi = 0.8, .spread = SAID},
	{"1+1, AR 0.9", 1, 1, 800, .step_sd = 0.03, .phi = 0.9, .spread = SAID},
	{"1+1, AR 0.8, 10 effective", 1, 1, 90, .step_sd = 0.03, .phi = 0.8, .spread = SAID},
	{"1+1, two modes", 1, 1, 100, .step_sd = 0.01, .slow_share = 0.2, .slow = 0.1,
	 .spread = SAID},
	{"1+1, modes that last", 1, 1, 600, .step_sd = 0.01, .slow_share = 0.3, .slow = 0.05,
	 .stays = 0.8, .spread = SAID},
	{"1+1, every fourth longer", 1, 1, 120, .step_sd = 0.02, .phi = 0.3, .slow = 0.2,
	 .period = 4, .spread = SAID},
	{"1+1, run effects, said", 1, 1, 60, .step_sd = 0.02, .phi = 0.5, .run_sd = 0.01,
	 .spread = SAID},
	{"1+1, run effects, of 5", 1, 1, 60, .step_sd = 0.02, .phi = 0.5, .run_sd = 0.01,
	 .spread = TOLD, .baseline = 5},
	{"1+1, steps over runs, of 5", 1, 1, 60, .step_sd = 0.04, .phi = 0.3, .run_sd = 0.003,
	 .spread = TOLD, .baseline = 5},
	{"1+1, runs like steps, of 5", 1, 1, 60, .step_sd = 0.04, .phi = 0.3, .run_sd = 0.007,
	 .spread = TOLD, .baseline = 5},
	{"1+1, run effects, of 10", 1, 1, 60, .step_sd = 0.02, .run_sd = 0.015, .spread = TOLD,
	 .baseline = 10},
	{"1+1, runs far apart, of 5", 1, 1, 60, .step_sd = 0.02, .run_sd = 0.09, .spread = TOLD,
	 .baseline = 5},
	{"1+1, nothing known", 1, 1, 60, .step_sd = 0.02, .run_sd = 0.05},
	{"1+1, 3 steps, AR 0.5", 1, 1, 3, .step_sd = 0.03, .phi = 0.5, .spread = SAID},
	{"1+1, 5 steps", 1, 1, 5, .step_sd = 0.03, .spread = SAID},
	{"1+1, 5 steps, AR 0.8", 1, 1, 5, .step_sd = 0.02, .phi = 0.8, .spread = SAID},
	{"1+1, 6 steps, of 5", 1, 1, 6, .step_sd = 0.02, .phi = 0.5, .run_sd = 0.01, .spread = TOLD,
	 .baseline = 5},
	{"1+1, 8 steps, AR 0.5", 1, 1, 8, .step_sd = 0.03, .phi = 0.5, .spread = SAID},
	{"1+1, 10 steps", 1, 1, 10, .step_sd = 0.03, .spread = SAID},
	{"1+1, 10 steps, AR 0.8", 1, 1, 10, .step_sd = 0.03, .phi = 0.8, .spread = SAID},
	{"1+1, 5 steps, AR 0.9", 1, 1, 5, .step_sd = 0.02, .phi = 0.9, .spread = SAID},
	{"1+1, 10 steps, AR 0.9", 1, 1, 10, .step_sd = 0.02, .phi = 0.9, .spread = SAID},
	{"1+1, 30 steps, AR 0.9", 1, 1, 30, .step_sd = 0.02, .phi = 0.9, .spread = SAID},
	{"1+1, 5 steps, AR 0.95", 1, 1, 5, .step_sd = 0.02, .phi = 0.95, .spread = SAID},
	{"1+1, 10 steps, AR 0.95", 1, 1, 10, .step_sd = 0.02, .phi = 0.95, .spread = SAID},
	{"1+1, 30 steps, AR 0.95", 1, 1, 30, .step_sd = 0.02, .phi = 0.95, .spread = SAID},
	{"1+1, 10 steps, two modes", 1, 1, 10, .step_sd = 0.01, .slow_share = 0.2, .slow = 0.1,
	 .spread = SAID},
	{"1+1, 10 steps, run effects", 1, 1, 10, .step_sd = 0.02, .phi = 0.5, .run_sd = 0.01,
	 .spread = SAID},
	{"2+2", 2, 2, 30, .step_sd = 0.02, .run_sd = 0.01},
	{"2+2, of 5", 2, 2, 30, .step_sd = 0.02, .run_sd = 0.02, .spread = TOLD, .baseline = 5},
	{"3+3", 3, 3, 30, .step_sd = 0.02, .run_sd = 0.01},
	{"3+3, said", 3, 3, 30, .step_sd = 0.02, .run_sd = 0.02, .spread = SAID},
	{"1+5", 1, 5, 30, .step_sd = 0.02, .run_sd = 0.01},
	{"2+6", 2, 6, 30, .step_sd = 0.02, .run_sd = 0.01},
	{"4+4", 4, 4, 30, .step_sd = 0.02, .phi = 0.5, .run_sd = 0.02},
	{"4+4, two modes", 4, 4, 30, .step_sd = 0.01, .slow_share = 0.2, .slow = 0.1,
	 .run_sd = 0.01},
	{"4+4, far apart", 4, 4, 30, .step_sd = 0.02, .run_sd = 0.09},
	{"5+5", 5, 5, 30, .step_sd = 0.02, .run_sd = 0.02},
	{"4+7", 4, 7, 30, .step_sd = 0.02, .run_sd = 0.02},
	{"8+8", 8, 8, 30, .step_sd = 0.02, .run_sd = 0.03},
	{"12+12", 12, 12, 30, .step_sd = 0.02, .run_sd = 0.03},
	{"3 pairs", 3, 3, 30, .step_sd = 0.02, .run_sd = 0.005, .pair_sd = 0.1, .paired = true},
	{"6 pairs", 6, 6, 30, .step_sd = 0.02, .run_sd = 0.01, .pair_sd = 0.1, .paired = true},
	{"12 pairs", 12, 12, 30, .step_sd = 0.02, .run_sd = 0.01, .pair_sd = 0.1, .paired = true},
};

static const double TOLERANCE = 0.02, MEAN_NS = 2e7;

/* Marsaglia's polar method: it needs no sine, which differs between machines. */
static double draw_normal(struct random *r)
{
	for (;;) {
		const double x = 2 * random_unit(r) - 1, y = 2 * random_unit(r) - 1,
			     square = x * x + y * y;

		if (square > 0 && square < 1)
			return x * sqrt(-2 * portable_log(square) / square);
	}
}

/* A chain that stays in its mode with chance `stays` and else draws a new one. */
static void fill_run(const struct setting *s, struct random *r, double log_effect, double *ns)
{
	const double level = MEAN_NS * portable_exp(log_effect + s->run_sd * draw_normal(r)),
		     fresh = sqrt(1 - s->phi * s->phi);
	const size_t phase = s->period ? random_below(r, s->period) : 0;
	double x = draw_normal(r);
	bool slow = random_unit(r) < s->slow_share;

	for (size_t i = 0; i < s->steps; i++) {
		if (s->period)
			slow = (i + phase) % s->period == 0;
		ns[i] = level * (1 + s->step_sd * x + (slow ? s->slow : 0));
		x = s->phi * x + fresh * draw_normal(r);
		if (random_unit(r) >= s->stays)
			slow = random_unit(r) < s->slow_share;
	}
}

struct pair {
	double *ns;
	struct run_steps *runs; /* before, after, baseline */
	struct compare_options options;
};

static void draw_pair(const struct setting *s, struct random *r, double log_effect, struct pair *p)
{
	const size_t all = s->before + s->after + s->baseline;
	double shared[64] = {0};

	for (size_t i = 0; s->paired && i < s->before; i++)
		shared[i] = shared[s->before + i] = s->pair_sd * draw_normal(r);
	for (size_t i = 0; i < all; i++) {
		const bool is_after = i >= s->before && i < s->before + s->after;

		p->runs[i] = (struct run_steps){p->ns + i * s->steps, s->steps};
		fill_run(s, r, (is_after ? log_effect : 0) + shared[i], p->ns + i * s->steps);
	}
	p->options = (struct compare_options){.tolerance = TOLERANCE,
					      .paired = s->paired,
					      .has_run_sd = s->spread != UNKNOWN,
					      .seed = 1};
	p->options.run_sd = s->run_sd;
	if (s->spread == TOLD) {
		const struct run_spread told =
			run_spread_of(p->runs + s->before + s->after, s->baseline);

		p->options.run_sd = told.sd;
		p->options.run_sd_runs = told.runs;
	}
}

static struct comparison compare_pair(const struct setting *s, const struct pair *p,
				      double tolerance)
{
	struct compare_options o = p->options;
	struct comparison c;

	o.tolerance = tolerance;
	compare_runs(p->runs, s->before, p->runs + s->before, s->after, &o, &c);
	return c;
}

static bool is_different(const struct comparison *c)
{
	return c->verdict == VERDICT_SLOWER || c->verdict == VERDICT_FASTER;
}

struct figures {
	size_t without_tolerance, with_tolerance, intervals, covered, detectable, found_own;
	size_t shifted, covered_shifted, found;
	double effective, se, least;
};

/* No change at all; then, on the same steps, as much as each of them says that it can detect. */
static void try_without_change(const struct setting *s, struct random *r, struct pair *p,
			       struct figures *f)
{
	struct comparison c;
	const double truth = 0;

	draw_pair(s, r, truth, p);
	c = compare_pair(s, p, 0);
	f->without_tolerance += is_different(&c);
	f->intervals += c.has_interval && c.run_sd_known;
	f->se += c.has_interval && c.run_sd_known ? c.se : 0;
	f->covered += c.has_interval && c.run_sd_known && c.low <= truth && c.high >= truth;
	f->effective += (c.before.effective_steps / (double)s->before +
			 c.after.effective_steps / (double)s->after) /
			2;
	c = compare_pair(s, p, TOLERANCE);
	f->with_tolerance += is_different(&c);
	/* What a bound of few steps can detect is no part of what intervals do. */
	if (isnan(c.least_detectable) || !c.has_interval)
		return;
	f->detectable++;
	f->least += c.least_detectable;
	for (size_t i = s->before * s->steps; i < (s->before + s->after) * s->steps; i++)
		p->ns[i] *= 1 + TOLERANCE + c.least_detectable;
	c = compare_pair(s, p, TOLERANCE);
	f->found_own += c.verdict == VERDICT_SLOWER;
}

/* Other steps, with a change as large as what the first could detect on average. */
static void try_change(const struct setting *s, struct random *r, struct pair *p, struct figures *f)
{
	const double effect = TOLERANCE + f->least / (double)f->detectable;
	struct comparison c;

	draw_pair(s, r, portable_log(1 + effect), p);
	c = compare_pair(s, p, TOLERANCE);
	f->shifted += c.has_interval;
	f->covered_shifted += c.has_interval && c.low <= effect && c.high >= effect;
	f->found += c.verdict == VERDICT_SLOWER;
}

/* Counts, so that several settings can be summed; the names of columns are in the first line. */
static void print_header(void)
{
	printf("setting\tbefore\tafter\tpairs\teffective\tse\tleast\tdifferent\tbeyond\tintervals\t"
	       "covered\tdetectable\tfound_own\tfound\n");
}

static void print_figures(const struct setting *s, const struct figures *f, size_t pairs)
{
	printf("%s\t%zu\t%zu\t%zu\t%.1f\t%.2f\t%.2f\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\t%zu\n", s->name,
	       s->before, s->after, pairs, f->effective / (double)pairs,
	       100 * f->se / (double)f->intervals, 100 * f->least / (double)f->detectable,
	       f->without_tolerance, f->with_tolerance, f->intervals + f->shifted,
	       f->covered + f->covered_shifted, f->detectable, f->found_own, f->found);
	fflush(stdout);
}

static void try_setting(const struct setting *s, uint64_t seed, size_t pairs)
{
	struct random r = random_of(seed);
	const size_t all = s->before + s->after + s->baseline;
	SCOPED double *ns = mem_alloc(all * s->steps, sizeof(*ns));
	SCOPED struct run_steps *runs = mem_alloc(all, sizeof(*runs));
	struct pair p = {.ns = ns, .runs = runs};
	struct figures f = {0};

	for (size_t i = 0; i < pairs; i++)
		try_without_change(s, &r, &p, &f);
	for (size_t i = 0; f.detectable && i < pairs; i++)
		try_change(s, &r, &p, &f);
	print_figures(s, &f, pairs);
}

int main(int argc, char **argv)
{
	const long pairs = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

	if (pairs < 1 || argc > 3) {
		fprintf(stderr, "usage: trials PAIRS [WORD]\n");
		return 2;
	}
	print_header();
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		if (argc == 2 || strstr(settings[i].name, argv[2]))
			try_setting(&settings[i], i + 1, (size_t)pairs);
	return 0;
}
