/* Which method fits the runs at hand, and what does it say of the shift? */
#include "statistics/method.h"

#include "base/mem.h"
#include "statistics/permutation.h"
#include "statistics/separation.h"
#include "statistics/welch.h"

#include <math.h>
#include <stdlib.h>

static const double agreement = 1e-9; /* of a step: no two runs take as long as that */

/* One run tells no spread, and a spread that is no number tells nothing. */
static bool knows_spread(const struct compare_options *o)
{
	return o->has_run_sd && o->run_sd >= 0 && isfinite(o->run_sd) && o->run_sd_runs != 1;
}

static double degrees_of_spread(const struct compare_options *o)
{
	return o->run_sd_runs ? (double)o->run_sd_runs - 1 : INFINITY;
}

/*
 * One run a side: SE² = SE_A² + SE_B² + 2 σ², with Satterthwaite's degrees of freedom. A spread
 * that was told from few runs had the noise of their steps taken off, but was told with it: as far
 * as its error goes, all of the variance comes from it. (As a part of its own, as the textbook has
 * it, intervals of 90 % cover 87 % where runs differ about as much as their steps make them.)
 */
static struct estimate estimate_of_steps(const struct run *a, const struct run *b, double run_sd,
					 double run_sd_df)
{
	const double va = a->bound_variance, vb = b->bound_variance,
		     variance = va + vb + 2 * run_sd * run_sd;
	const double error =
		va * va / a->bound_df + vb * vb / b->bound_df + variance * variance / run_sd_df;
	struct estimate e = {.shift = b->log_mean - a->log_mean,
			     .se = sqrt(variance),
			     .df = error > 0 ? variance * variance / error : INFINITY};

	estimate_by_student(&e);
	return e;
}

/* A window has no steps to differ: how far it is from those of other runs is all there is. */
static struct run take_sample(const struct run *r, const struct compare_options *o)
{
	struct run sample = *r;

	if (o->of_windows && r->count == 1 && knows_spread(o)) {
		sample.step_variance = sample.bound_variance = 0;
		sample.bound_df = INFINITY;
	}
	return sample;
}

/*
 * Satterthwaite's degrees of freedom grow with σ, and where steps have next to none, bounds would
 * become narrower for it: they are no narrower than without.
 */
static void add_spread(struct method *m, const struct run *a, const struct run *b,
		       const struct compare_options *o)
{
	const struct estimate e = estimate_of_steps(a, b, o->run_sd, degrees_of_spread(o));

	m->by_runs = true;
	m->run_sd = o->run_sd;
	if (e.high - e.low >= m->estimate.high - m->estimate.low)
		m->estimate = e;
}

/* What says more: how unsure means of few steps are, or how far apart the steps lie. */
static void take_separation(struct method *m, const struct run *a, const struct run *b,
			    const struct compare_options *o)
{
	const bool known = knows_spread(o);
	struct estimate apart;

	if (!separation_bound(a, b, known ? o->run_sd : 0, known ? degrees_of_spread(o) : INFINITY,
			      &apart) ||
	    fmax(apart.low, -apart.high) <= fmax(m->estimate.low, -m->estimate.high))
		return;
	m->estimate = apart;
	m->is_apart = true;
}

static struct method by_steps(const struct side *before, const struct side *after,
			      const struct compare_options *o)
{
	const struct run a = take_sample(&before->runs[0], o), b = take_sample(&after->runs[0], o);
	struct method m = {.name = "steps of one run a side", .run_sd = NAN};

	m.is_bound = isnan(a.step_variance) || isnan(b.step_variance);
	if (isnan(a.bound_variance) || isnan(b.bound_variance))
		return (struct method){.run_sd = NAN};
	m.estimate = estimate_of_steps(&a, &b, 0, INFINITY);
	if (knows_spread(o)) {
		m.name = m.is_bound ? "few steps of one run a side, with the known spread of runs"
				    : "steps of one run a side, with the known spread of runs";
		add_spread(&m, &a, &b, o);
	} else if (m.is_bound) {
		m.name = "few steps of one run a side";
	}
	if (m.is_bound)
		take_separation(&m, &a, &b, o);
	return m;
}

static double pooled_sd(const struct side *a, const struct side *b)
{
	double va, vb;
	const double df = (double)(a->count + b->count) - 2;

	welch_mean(a->sorted, a->count, &va);
	welch_mean(b->sorted, b->count, &vb);
	return df > 0 ? sqrt((((double)a->count - 1) * va + ((double)b->count - 1) * vb) / df)
		      : NAN;
}

/* The variance that the noise of steps gives log run means. */
static double variance_of_steps(const struct side *a, const struct side *b)
{
	return (a->step_variance + b->step_variance) / 2;
}

/* How far the means of runs are apart that have the given spread beside what steps make, by as much
 * as anybody says. */
static struct method by_given(const struct side *a, const struct side *b, double of_steps,
			      const struct compare_options *o)
{
	const struct known_variance known = {.variance = o->run_sd * o->run_sd + of_steps,
					     .df = degrees_of_spread(o)};
	struct method m = {.name = "t over runs, with the known spread of runs",
			   .by_runs = true,
			   .run_sd = o->run_sd};

	welch(a->sorted, a->count, b->sorted, b->count, &known, &m.estimate);
	return m;
}

static const char *name_spread(double own_sd, double run_sd, bool given_counts)
{
	const bool differ_more = own_sd > run_sd;

	if (given_counts)
		return differ_more ? "the spread that was given counts: with that of the steps it "
				     "is more than what the runs show"
				   : "the spread that was given counts: the runs differ by less";
	return differ_more
		       ? "the runs differ by more than the spread that was given: theirs counts"
		       : "the runs differ by less than the spread that was given, but so few of "
			 "them leave more open: theirs counts";
}

/*
 * What the runs show, and what somebody says of them: whichever leaves more open. How far few runs
 * differ says little of how far others do, but to believe in its place a spread that they happen
 * not to contradict would be to find changes in repeats of one program: the smaller it is said to
 * be, the more of them. What steps make runs differ by is no more than they do: somebody who says
 * that runs do not differ beside it leaves no more open than these show.
 */
static struct method with_said(struct method own, const struct side *a, const struct side *b,
			       const struct compare_options *o)
{
	const double of_steps = fmin(variance_of_steps(a, b), own.run_sd * own.run_sd);
	const struct method said = by_given(a, b, of_steps, o);
	const struct estimate *x = &own.estimate, *y = &said.estimate;
	const bool given = o->run_sd > 0 && y->high - y->low >= x->high - x->low;
	struct method m = given ? said : own;

	m.spread = name_spread(own.run_sd, o->run_sd, given);
	m.run_sd = fmax(own.run_sd, o->run_sd);
	if (o->run_sd == 0)
		return m;
	/* Permutations need not put both bounds as far from the shift. */
	m.estimate.low = fmin(x->low, y->low);
	m.estimate.high = fmax(x->high, y->high);
	m.estimate.p = fmax(x->p, y->p);
	return m;
}

/* Runs that agree so well are copies, not runs: their steps say how unsure they are. */
static void doubt_copies(const struct side *a, const struct side *b, struct estimate *e)
{
	if (e->se > agreement)
		return;
	e->se = sqrt(a->step_variance / (double)a->count + b->step_variance / (double)b->count);
	estimate_by_student(e);
}

static struct method by_few_runs(const struct side *a, const struct side *b,
				 const struct compare_options *o)
{
	struct method m = {
		.name = "Welch's t over runs", .by_runs = true, .run_sd = pooled_sd(a, b)};
	const struct known_variance nothing = {0};

	if (knows_spread(o) && o->run_sd_runs)
		return by_given(a, b, variance_of_steps(a, b), o);
	if (a->count < 2 || b->count < 2)
		m.name = "t over runs; the one run borrows the spread of the others";
	welch(a->sorted, a->count, b->sorted, b->count, &nothing, &m.estimate);
	doubt_copies(a, b, &m.estimate);
	return knows_spread(o) ? with_said(m, a, b, o) : m;
}

static struct method by_many_runs(const struct side *a, const struct side *b,
				  const struct compare_options *o)
{
	const bool exact = a->count <= PERMUTATION_MOST_EXACT && b->count <= PERMUTATION_MOST_EXACT;
	struct method m = {.name = exact ? "exact permutation of runs"
					 : "permutation of runs, 9,999 drawn",
			   .by_runs = true,
			   .run_sd = pooled_sd(a, b)};

	permutation_shift(a->sorted, a->count, b->sorted, b->count, o->seed, &m.estimate);
	if (knows_spread(o) && !o->run_sd_runs)
		return with_said(m, a, b, o);
	return m;
}

/*
 * How far runs are apart is in part what pairs share, and that part is gone in their differences:
 * how much it is, a spread of runs does not say. So the pairs alone tell how sure they are.
 */
static struct method by_pairs(const struct side *a, const struct side *b,
			      const struct compare_options *o)
{
	struct method m = {
		.name = "exact permutation of signs of pairs", .by_runs = true, .of_pairs = true};
	const size_t n = a->count;
	SCOPED double *differences = mem_alloc(n, sizeof(*differences));
	double variance;

	if (knows_spread(o) && !o->run_sd_runs)
		m.spread = "the spread that was given is that of runs, and does not count: pairs "
			   "take off what they share";
	for (size_t i = 0; i < n; i++)
		differences[i] = b->logs[i] - a->logs[i];
	welch_mean(differences, n, &variance);
	m.run_sd = sqrt(variance);
	if (n < PERMUTATION_FEWEST_PAIRS) {
		m.name = "t over pairs of runs";
		welch_pairs(differences, n, &m.estimate);
		return m;
	}
	if (n > PERMUTATION_MOST_EXACT)
		m.name = "permutation of signs of pairs, 9,999 drawn";
	permutation_pairs(differences, n, o->seed, &m.estimate);
	return m;
}

struct method method_apply(const struct side *before, const struct side *after,
			   const struct compare_options *o)
{
	if (before->count == 1 && after->count == 1)
		return by_steps(before, after, o);
	if (o->paired)
		return by_pairs(before, after, o);
	if (before->count < PERMUTATION_FEWEST || after->count < PERMUTATION_FEWEST)
		return by_few_runs(before, after, o);
	return by_many_runs(before, after, o);
}
