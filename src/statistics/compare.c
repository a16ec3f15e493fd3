/* Did it get slower or faster, by how much, and how sure is that? */
#include "statistics/compare.h"

#include "base/mem.h"
#include "statistics/driving_steps.h"
#include "statistics/hodges_lehmann.h"
#include "statistics/method.h"
#include "statistics/permutation.h"
#include "statistics/portable_math.h"
#include "statistics/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More is no plan. */
static const double MOST_RUNS = 1e6;

static double margin_of(const struct compare_options *o)
{
	return o->tolerance > 0 && isfinite(o->tolerance) ? portable_log(1 + o->tolerance) : 0;
}

static bool are_identical(const struct run_steps *a, size_t a_count, const struct run_steps *b,
			  size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++) {
		if (a[i].count != b[i].count ||
		    (a[i].count && memcmp(a[i].ns, b[i].ns, a[i].count * sizeof(*a[i].ns)) != 0))
			return false;
	}
	return true;
}

static double hodges_lehmann_of_pairs(const struct side *a, const struct side *b)
{
	SCOPED double *differences = mem_alloc(a->count, sizeof(*differences)), *sorted = NULL;

	for (size_t i = 0; i < a->count; i++)
		differences[i] = b->logs[i] - a->logs[i];
	sorted = sorted_copy(differences, a->count);
	return hodges_lehmann_pairs(sorted, a->count);
}

/* Steps of 0 have no logarithm. */
static double *new_logs(const double *ascending, size_t n, size_t *ret_count)
{
	double *logs = mem_alloc(n + 1, sizeof(*logs));

	*ret_count = 0;
	for (size_t i = 0; i < n; i++) {
		if (ascending[i] > 0)
			logs[(*ret_count)++] = portable_log(ascending[i]);
	}
	return logs;
}

/* The shift of single steps; a few steps that move the mean do not move it. */
static double compare_steps(const struct run *a, const struct run *b, double shift,
			    size_t *ret_driven_by)
{
	SCOPED double *before = sorted_copy(a->ns, a->count), *after = sorted_copy(b->ns, b->count);
	size_t before_logs, after_logs;
	SCOPED double *from = new_logs(before, a->count, &before_logs),
		      *to = new_logs(after, b->count, &after_logs);
	const double middle = hodges_lehmann(from, before_logs, to, after_logs);

	if (shift > 0 && middle <= 0)
		*ret_driven_by = driving_steps(before, a->count, after, b->count);
	else if (shift < 0 && middle >= 0)
		*ret_driven_by = driving_steps(after, b->count, before, a->count);
	return middle;
}

static double find_middle(const struct side *a, const struct side *b, double shift, bool paired,
			  size_t *ret_driven_by)
{
	*ret_driven_by = 0;
	if (a->count == 1 && b->count == 1)
		return compare_steps(&a->runs[0], &b->runs[0], shift, ret_driven_by);
	if (paired)
		return hodges_lehmann_of_pairs(a, b);
	return hodges_lehmann(a->sorted, a->count, b->sorted, b->count);
}

static enum verdict judge(const struct estimate *e, double margin)
{
	if (e->low > margin)
		return VERDICT_SLOWER;
	if (e->high < -margin)
		return VERDICT_FASTER;
	return e->low >= -margin && e->high <= margin ? VERDICT_SAME : VERDICT_CANNOT_TELL;
}

static const char *explain(const struct method *m, enum verdict verdict, bool decides)
{
	if (!m->name)
		return "too few independent steps to tell the mean of a run";
	if (!decides)
		return "steps of one run a side say nothing about other runs";
	if (verdict == VERDICT_CANNOT_TELL)
		return "the interval holds both a change beyond the tolerance and none";
	if (!m->by_runs)
		return "the code changed, and the steps of both runs tell their means well enough";
	return verdict == VERDICT_SAME ? "all of the interval is within the tolerance"
				       : "all of the interval is beyond the tolerance";
}

/* √(((|Δ| - τ) / 1.645)² - SE_A² - SE_B²) / √2 */
static double spread_to_overturn(const struct side *a, const struct side *b, double shift,
				 double margin)
{
	const double beyond = (fabs(shift) - margin) / Z_BOUND,
		     square = beyond * beyond - a->step_variance - b->step_variance;

	if (a->count > 1 || b->count > 1 || !(beyond > 0) || !(square > 0))
		return NAN;
	return sqrt(square / 2);
}

/*
 * Runs a side that put the bounds on one side of the tolerance, with 80 % chance: 2 (2.49 σ / g)²
 * and a little for a spread that is estimated (Guenther 1981). g is how far the change is from the
 * tolerance; it is not known well enough to count as less than half of that. Where the spread is
 * not known: the fewest that tell it themselves, and would decide if it is below
 * spread_to_overturn.
 */
static size_t runs_to_settle(const struct method *m, const struct side *a, const struct side *b,
			     double shift, double margin)
{
	const double gap = fmax(fabs(fabs(shift) - margin), margin / 2), runs_sd = m->run_sd,
		     by_steps = (a->step_variance + b->step_variance) / 2;
	double variance, needed;

	if (isnan(runs_sd))
		return PERMUTATION_FEWEST;
	/* The spread of runs as they are seen holds that of their steps. */
	variance = a->count + b->count > 2 ? fmax(runs_sd * runs_sd, by_steps)
					   : runs_sd * runs_sd + by_steps;
	needed = 2 * (Z_BOUND + Z_FOUND) * (Z_BOUND + Z_FOUND) * variance / (gap * gap);
	needed = ceil(needed + Z_BOUND * Z_BOUND / 4);
	if (!(needed <= MOST_RUNS))
		return 0;
	return needed > PERMUTATION_FEWEST ? (size_t)needed : PERMUTATION_FEWEST;
}

/* All but the sides themselves, with `a` as before. */
static void compare_sides(const struct side *a, const struct side *b,
			  const struct compare_options *o, struct method *m, struct comparison *ret)
{
	const double margin = margin_of(o);
	bool decides;
	double shift;

	*m = method_apply(a, b, o);
	decides = m->name && (m->by_runs || o->structural);
	shift = m->name ? m->estimate.shift : b->logs[0] - a->logs[0];
	ret->verdict = decides ? judge(&m->estimate, margin) : VERDICT_CANNOT_TELL;
	ret->why = explain(m, ret->verdict, decides);
	ret->hodges_lehmann = find_middle(a, b, shift, o->paired, &ret->driven_by);
	ret->run_sd = m->run_sd;
	ret->run_sd_known = m->by_runs;
	ret->method = m->name ? m->name : "none";
	ret->spread_to_overturn = m->name ? spread_to_overturn(a, b, shift, margin) : NAN;
	if (ret->verdict == VERDICT_CANNOT_TELL)
		ret->runs_to_settle = runs_to_settle(m, a, b, shift, margin);
	if (!m->name)
		return;
	ret->has_interval = true;
	ret->se = m->estimate.se;
	ret->p = m->by_runs ? m->estimate.p : NAN;
	if (decides)
		ret->least_detectable = portable_expm1(estimate_detectable(&m->estimate));
}

static void mirror(struct method *m, struct comparison *ret)
{
	estimate_mirror(&m->estimate);
	ret->hodges_lehmann = -ret->hodges_lehmann;
	if (ret->verdict == VERDICT_SLOWER)
		ret->verdict = VERDICT_FASTER;
	else if (ret->verdict == VERDICT_FASTER)
		ret->verdict = VERDICT_SLOWER;
}

/* In the order that the sides have by what they hold, so that swapping them changes no draw. */
static void compare_in_order(const struct side *before, const struct side *after,
			     const struct compare_options *o, struct comparison *ret)
{
	struct method m;

	if (side_is_before(after, before)) {
		compare_sides(after, before, o, &m, ret);
		mirror(&m, ret);
	} else {
		compare_sides(before, after, o, &m, ret);
	}
	ret->hodges_lehmann = portable_expm1(ret->hodges_lehmann);
	ret->change = portable_expm1(portable_log(ret->after.mean_ns) -
				     portable_log(ret->before.mean_ns));
	if (ret->has_interval) {
		ret->low = portable_expm1(m.estimate.low);
		ret->high = portable_expm1(m.estimate.high);
	}
}

static void say_identical(struct comparison *ret)
{
	ret->change = ret->low = ret->high = ret->hodges_lehmann = 0;
	ret->has_interval = true;
	ret->p = 1;
	ret->method = "none needed";
	ret->verdict = VERDICT_SAME;
	ret->why = "both sides are the same steps";
}

void compare_runs(const struct run_steps *before, size_t before_count,
		  const struct run_steps *after, size_t after_count,
		  const struct compare_options *o, struct comparison *ret)
{
	struct compare_options used = *o;
	struct side a, b;

	side_read(before, before_count, &a);
	side_read(after, after_count, &b);
	/* Without a run that was left out, the others would stand beside strangers. */
	used.paired &= a.count == before_count && b.count == after_count && a.count == b.count;
	*ret = (struct comparison){.before = side_sum(&a),
				   .after = side_sum(&b),
				   .change = NAN,
				   .low = NAN,
				   .high = NAN,
				   .se = NAN,
				   .p = NAN,
				   .method = "none",
				   .run_sd = NAN,
				   .least_detectable = NAN,
				   .spread_to_overturn = NAN,
				   .hodges_lehmann = NAN,
				   .verdict = VERDICT_CANNOT_TELL,
				   .why = "a side has no steps"};
	if (a.count && b.count && are_identical(before, before_count, after, after_count))
		say_identical(ret);
	else if (a.count && b.count)
		compare_in_order(&a, &b, &used, ret);
	side_free(&a);
	side_free(&b);
}
