/* Do kernels that did not change run as fast as before? */
#include "diff/common_mix.h"
#include "diff/diff.h"

#include "analysis/numbers/summary.h"
#include "analysis/steps/iterations.h"
#include "base/mem.h"
#include "base/sort.h"

#include "statistics/portable_math.h"

#include <math.h>
#include <stdlib.h>

enum {
	CONTROLS_MIN = 5, /* fewer may have changed together */
	CALL_NS = 2000,	  /* what is shorter is as long as the timer's whim */
};

static const double worth_a_word = 0.005; /* less is what clocks do all the time */
/* Of the drift: so far apart the middle half of controls may be. */
static const double agree = 0.5;
/*
 * A larger drift is that of a clock only where nearly all controls agree: kernels that have more to
 * do have not all as much more. And no GPU that computes runs at less than half its clock.
 */
static const double usual = 0.2, most_factor = 2, agree_all = 0.25;
/* Of a change of the mean step, so much the usual one has, and so much those that are fast. */
static const double of_usual = 0.5, of_fast = 0.25;

/*
 * The logarithm of how much longer a call takes, in the kinds of steps that both sides have; false:
 * the row is no control.
 */
static bool log_ratio(const struct sides *s, const struct diff_row *r, double *ret)
{
	double ns[SIDES];

	if (r->match->how != MATCH_SAME || r->leaf[BEFORE]->class != LEAF_COMPUTE)
		return false;
	for (int side = 0; side < SIDES; side++) {
		struct mixed_sum sum = {0};

		for (size_t i = 0; i < r->match->count[side]; i++)
			common_mix_add(&sum, s, (enum side)side,
				       &s->of[side].leaves[r->match->leaves[side][i]]);
		ns[side] = sum.calls > 0 ? sum.work_ns / sum.calls : 0;
		if (ns[side] < CALL_NS)
			return false;
	}
	*ret = portable_log(ns[AFTER]) - portable_log(ns[BEFORE]);
	return true;
}

/* Another GPU may bound the steps than before: it has kernels of its own, and a clock. */
static bool are_of_one_gpu(const struct sides *s)
{
	const struct account *a = s->of[BEFORE].runs[0];

	for (int side = 0; side < SIDES; side++) {
		for (size_t r = 0; r < s->of[side].run_count; r++) {
			if (s->of[side].runs[r]->device != a->device)
				return false;
		}
	}
	return true;
}

/* How long the steps of a side take, of all runs: its usual step, and the quarter that is fast. */
struct step_times {
	double usual_ns, fast_ns;
};

static struct step_times step_times_of(const struct side_runs *s)
{
	int64_t *ns = mem_alloc(s->steps, sizeof(*ns)), *scratch = mem_alloc(s->steps, sizeof(*ns));
	struct step_times times;
	size_t count = 0;

	for (size_t r = 0; r < s->run_count; r++) {
		for (size_t i = 0; i < s->runs[r]->step_count; i++)
			ns[count++] = s->runs[r]->steps[i].ns;
	}
	sort_i64(ns, scratch, count);
	times = (struct step_times){quantile(ns, count, 0.5), quantile(ns, count, 0.25)};
	free(scratch);
	free(ns);
	return times;
}

/*
 * A clock makes all steps longer, each by as much of it, those that are fast, too; where some stand
 * out, and be it a half of them, something else has a part in it.
 */
static bool is_of_some_steps(const struct diff *d)
{
	const struct side_runs *b = &d->sides.of[BEFORE], *a = &d->sides.of[AFTER];
	const double change = side_step_ns(a, a->ns) / side_step_ns(b, b->ns) - 1;
	const struct step_times before = step_times_of(b), after = step_times_of(a);

	return fabs(change) > worth_a_word &&
	       ((after.usual_ns / before.usual_ns - 1) / change < of_usual ||
		(after.fast_ns / before.fast_ns - 1) / change < of_fast);
}

/* The time of the step after if what computes took as long as the controls say it did before. */
static double adjusted_change(const struct diff *d, double change)
{
	double ns = 0;

	for (size_t i = 0; i < d->row_count; i++) {
		const struct diff_row *r = &d->rows[i];
		const bool computes = r->leaf[AFTER] && r->leaf[AFTER]->class == LEAF_COMPUTE;

		ns += (double)r->sum[AFTER].ns / (computes ? 1 + change : 1);
	}
	return ns / (double)d->sides.of[AFTER].weight /
		       side_step_ns(&d->sides.of[BEFORE], d->sides.of[BEFORE].ns) -
	       1;
}

struct drift drift_find(const struct diff *d)
{
	int64_t *keys = mem_alloc(d->row_count, sizeof(*keys));
	int64_t *scratch = mem_alloc(d->row_count, sizeof(*scratch));
	struct drift drift = {0};
	double ratio;

	for (size_t i = 0; i < d->row_count; i++) {
		if (log_ratio(&d->sides, &d->rows[i], &ratio))
			keys[drift.kernels++] = (int64_t)llround(ratio * 1e12);
	}
	sort_i64(keys, scratch, drift.kernels);
	if (drift.kernels < CONTROLS_MIN) {
		drift.kernels = 0;
	} else {
		drift.change = portable_expm1(quantile(keys, drift.kernels, 0.5) / 1e12);
		drift.spread = (quantile(keys, drift.kernels, 0.75) -
				quantile(keys, drift.kernels, 0.25)) /
			       1e12;
		drift.extent = (quantile(keys, drift.kernels, 0.95) -
				quantile(keys, drift.kernels, 0.05)) /
			       1e12;
		drift.step_change = adjusted_change(d, drift.change);
		drift.is_elsewhere = !are_of_one_gpu(&d->sides);
		drift.is_of_some_steps = is_of_some_steps(d);
	}
	free(scratch);
	free(keys);
	return drift;
}

/* Whether the controls agree on a change, whichever steps have it. */
static bool controls_agree(const struct drift *d)
{
	const double size = fabs(d->change);

	if (!d->kernels || d->is_elsewhere || size < worth_a_word || d->spread > agree * size)
		return false;
	return size < usual || (d->extent <= agree_all * size && 1 + d->change <= most_factor &&
				1 + d->change >= 1 / most_factor);
}

bool drift_is_clear(const struct drift *d)
{
	return !d->is_of_some_steps && controls_agree(d);
}

bool drift_is_of_some_steps(const struct drift *d)
{
	return d->is_of_some_steps && controls_agree(d) && d->extent <= agree_all * fabs(d->change);
}
