/* Did it get slower or faster, by how much, and how sure is that? */
#include "statistics/compare.h"

#include "base/mem.h"
#include "statistics/driving_steps.h"
#include "statistics/hodges_lehmann.h"
#include "statistics/method.h"
#include "statistics/outlook.h"
#include "statistics/portable_math.h"
#include "statistics/sorted.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a change of the mean: where the usual step has less of it, others make it. */
static const double usual_share = 0.25;

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

struct ascending {
	const double *ns;
	size_t count;
};

/*
 * Steps that alone make most of a change of the mean beyond the margin, which the usual step does
 * not have; or its sign, where the usual step, by `middle`, has the other one.
 */
static size_t count_driving(const struct ascending *before, const struct ascending *after,
			    double shift, double middle, double margin)
{
	const struct ascending *faster = shift > 0 ? before : after,
			       *slower = shift > 0 ? after : before;
	const double usual = shift > 0 ? middle : -middle, rest = usual_share * fabs(shift);
	const bool same_sign = usual > 0;

	if (shift == 0 || isnan(middle) || (same_sign && (fabs(shift) <= margin || usual > rest)))
		return 0;
	return driving_steps(faster->ns, faster->count, slower->ns, slower->count,
			     same_sign ? portable_exp(rest) : 1);
}

/* The shift of single steps; a few steps that move the mean do not move it. */
static double compare_steps(const struct run *a, const struct run *b, double shift, double margin,
			    size_t *ret_driven_by)
{
	SCOPED double *before = sorted_copy(a->ns, a->count), *after = sorted_copy(b->ns, b->count);
	size_t before_logs, after_logs;
	SCOPED double *from = new_logs(before, a->count, &before_logs),
		      *to = new_logs(after, b->count, &after_logs);
	const double middle = hodges_lehmann(from, before_logs, to, after_logs);

	*ret_driven_by = count_driving(&(struct ascending){before, a->count},
				       &(struct ascending){after, b->count}, shift, middle, margin);
	return middle;
}

static double find_middle(const struct side *a, const struct side *b, double shift, double margin,
			  bool paired, size_t *ret_driven_by)
{
	*ret_driven_by = 0;
	if (a->count == 1 && b->count == 1)
		return compare_steps(&a->runs[0], &b->runs[0], shift, margin, ret_driven_by);
	if (paired)
		return hodges_lehmann_of_pairs(a, b);
	return hodges_lehmann(a->sorted, a->count, b->sorted, b->count);
}

static enum verdict judge(const struct estimate *e, double margin)
{
	const int beyond = estimate_beyond(e, margin);

	if (beyond)
		return beyond > 0 ? VERDICT_SLOWER : VERDICT_FASTER;
	return e->low >= -margin && e->high <= margin ? VERDICT_SAME : VERDICT_CANNOT_TELL;
}

static const char *explain(const struct method *m, enum verdict verdict, bool decides,
			   bool of_windows)
{
	if (!m->name)
		return of_windows ? "one window a side tells nothing of how runs differ"
				  : "one step tells nothing of how steps differ";
	if (!decides)
		return "steps of one run a side say nothing about other runs";
	if (m->is_apart && verdict != VERDICT_CANNOT_TELL)
		return "the gap between the steps of the two runs is wider than the spread of "
		       "either, and than runs that differ by 20 % would make it";
	if (m->is_bound)
		return verdict == VERDICT_CANNOT_TELL
			       ? "too few independent steps: the means may be as unsure as single "
				 "steps are"
			       : "that holds even if the means of so few independent steps are as "
				 "unsure as single steps are";
	if (verdict == VERDICT_CANNOT_TELL)
		return "the interval holds both a change beyond the tolerance and none";
	if (!m->by_runs)
		return "the code changed, and steps tell both means well enough";
	return verdict == VERDICT_SAME ? "all of the interval is within the tolerance"
				       : "all of the interval is beyond the tolerance";
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
	/* A change of code is one whatever other runs do; that there is none they alone can tell.
	 */
	if (!m->by_runs && ret->verdict == VERDICT_SAME) {
		decides = false;
		ret->verdict = VERDICT_CANNOT_TELL;
	}
	ret->why = explain(m, ret->verdict, decides, o->of_windows);
	ret->hodges_lehmann = find_middle(a, b, shift, margin, o->paired, &ret->driven_by);
	ret->run_sd = m->run_sd;
	ret->spread = m->spread;
	ret->of_pairs = m->of_pairs;
	ret->run_sd_known = m->by_runs;
	ret->method = m->name ? m->name : "none";
	if (o->looks_ahead)
		outlook_overturn(&ret->outlook, a, b, o->of_windows, margin);
	if (o->looks_ahead && ret->verdict == VERDICT_CANNOT_TELL)
		outlook_settle(&ret->outlook, a, b, m->run_sd, m->of_pairs,
			       fabs(fabs(shift) - margin));
	if (!m->name)
		return;
	ret->has_interval = !m->is_bound;
	ret->se = m->estimate.se;
	ret->p = m->by_runs ? m->estimate.p : NAN;
	/* How large a gap there would have to be hangs on steps that are not known. */
	if (decides && !m->is_apart)
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
	ret->not_slower = m.name && (m.by_runs || ret->verdict == VERDICT_FASTER) &&
			  m.estimate.high <= margin_of(o);
	if (ret->has_interval) {
		ret->low = portable_expm1(m.estimate.low);
		ret->high = portable_expm1(m.estimate.high);
	}
	if (m.is_bound && ret->verdict == VERDICT_SLOWER)
		ret->bound = portable_expm1(m.estimate.low);
	else if (m.is_bound && ret->verdict == VERDICT_FASTER)
		ret->bound = portable_expm1(m.estimate.high);
}

static void say_identical(struct comparison *ret)
{
	ret->change = ret->low = ret->high = ret->hodges_lehmann = 0;
	ret->has_interval = true;
	ret->p = 1;
	ret->method = "none needed";
	ret->verdict = VERDICT_SAME;
	ret->not_slower = true;
	/* Of what they launch nothing is known here. */
	ret->why = "the steps of both sides take the same times, to the nanosecond";
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
				   .bound = NAN,
				   .outlook = OUTLOOK_NONE,
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
