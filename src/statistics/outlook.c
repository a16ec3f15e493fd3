/* What would overturn a change, or settle it? */
#include "statistics/outlook.h"

#include "statistics/method.h"
#include "statistics/permutation.h"

#include <math.h>

enum { FEW_RUNS = 3 };
/* Logarithms: no two durations are that far apart. */
static const double WIDEST = 100;

/* One run a side against each other, and a spread that is tried on them. */
struct trial {
	const struct side *few, *other; /* `few` is the side that three runs are of */
	bool of_windows;
	double margin;
};

static bool stands_if_said(const struct trial *t, double spread)
{
	const struct compare_options o = {
		.has_run_sd = true, .run_sd = spread, .of_windows = t->of_windows};
	const struct method m = method_apply(t->few, t->other, &o);

	return m.name && estimate_beyond(&m.estimate, t->margin);
}

/* Three runs that have this very spread, about the one that there is. */
static bool stands_by_three(const struct trial *t, double spread)
{
	const double mean = t->few->logs[0];
	double logs[FEW_RUNS] = {mean - spread, mean, mean + spread};
	const struct side few = {.count = FEW_RUNS,
				 .logs = logs,
				 .sorted = logs,
				 .step_variance = t->few->step_variance};
	const struct method m = method_apply(&few, t->other, &(struct compare_options){0});

	return estimate_beyond(&m.estimate, t->margin);
}

/* The spread up to which a change stands, by halving; NAN: it does not stand at all. */
static double largest_spread(bool (*stands)(const struct trial *t, double spread),
			     const struct trial *t)
{
	double low = 0, high = WIDEST;

	if (!stands(t, low))
		return NAN;
	for (int i = 0; i < 60; i++) {
		const double middle = low + (high - low) / 2;

		if (stands(t, middle))
			low = middle;
		else
			high = middle;
	}
	return low;
}

void outlook_overturn(struct outlook *ret, const struct side *a, const struct side *b,
		      bool of_windows, double margin)
{
	const struct trial t = {a, b, of_windows, margin}, other = {b, a, of_windows, margin};

	if (a->count > 1 || b->count > 1)
		return;
	ret->overturned_by = largest_spread(stands_if_said, &t);
	if (isnan(ret->overturned_by))
		return;
	/* Which side has three is not known. */
	ret->overturned_by_three =
		fmin(largest_spread(stands_by_three, &t), largest_spread(stands_by_three, &other));
}

/* How unsure the mean of a side's run is by its steps, as far as one can tell: no bound. */
static double step_variance(const struct side *s)
{
	const struct run *r = &s->runs[0];

	if (s->count > 1 || !isnan(r->step_variance))
		return s->step_variance;
	return isnan(r->bound_variance) ? 0 : r->bound_variance / fmax(1, r->spread.effective);
}

/* Of one run, where the shift between two has twice as much. The spread of runs as they are seen
 * holds that of their steps, of which pairs may share some. */
static double variance_of_run(const struct side *a, const struct side *b, double run_sd,
			      bool of_pairs, double by_steps)
{
	const double variance = run_sd * run_sd;

	if (isnan(run_sd))
		return 2 * by_steps;
	if (of_pairs)
		return variance / 2;
	return a->count + b->count > 2 ? variance : variance + by_steps;
}

/*
 * Runs a side that put the bounds on one side of the tolerance, with 80 % chance: 2 (2.49 σ / g)²
 * and a little for a spread that is estimated (Guenther 1981), from pairs twice as much. g, the
 * gap, is how far the change is from the tolerance: next to it no number of runs settles anything.
 * Where the spread is not known: so many that what steps make runs differ by is no more than half
 * of what they may differ by.
 */
void outlook_settle(struct outlook *ret, const struct side *a, const struct side *b, double run_sd,
		    bool of_pairs, double gap)
{
	const double extra = Z_BOUND * Z_BOUND / (of_pairs ? 2 : 4),
		     factor = 2 * (Z_BOUND + Z_FOUND) * (Z_BOUND + Z_FOUND) / (gap * gap),
		     by_steps = (step_variance(a) + step_variance(b)) / 2;
	const double variance = variance_of_run(a, b, run_sd, of_pairs, by_steps),
		     runs = fmax(of_pairs ? PERMUTATION_FEWEST_PAIRS : PERMUTATION_FEWEST,
				 ceil(factor * variance + extra));

	if (!(runs <= OUTLOOK_MOST_RUNS))
		return;
	ret->runs_to_settle = (size_t)runs;
	if (isnan(run_sd))
		ret->settled_below = sqrt((runs - extra) / factor - by_steps);
}
