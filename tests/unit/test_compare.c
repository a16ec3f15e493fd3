/* Verdicts: what they follow from, and laws that hold whatever the steps are. */
#include "groups.h"
#include "statistics/compare.h"
#include "statistics/portable_math.h"
#include "statistics/random.h"

#include "base/mem.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { MOST_RUNS = 13, MOST_STEPS = 70 };

struct runs {
	double ns[MOST_RUNS][MOST_STEPS];
	struct run_steps at[MOST_RUNS];
	size_t count;
};

static double draw_noise(struct random *r)
{
	return random_unit(r) + random_unit(r) + random_unit(r) - 1.5;
}

/* Runs of `steps` of 20 ms, times `scale`; noise as a share of that. */
static void fill_runs(struct random *r, size_t count, size_t steps, double scale, double run_noise,
		      double step_noise, struct runs *out)
{
	out->count = count;
	for (size_t i = 0; i < count; i++) {
		const double level = 2e7 * scale * (1 + run_noise * draw_noise(r));

		out->at[i] = (struct run_steps){out->ns[i], steps};
		for (size_t k = 0; k < steps; k++)
			out->ns[i][k] = level * (1 + step_noise * draw_noise(r));
	}
}

static struct comparison compare(const struct runs *a, const struct runs *b,
				 const struct compare_options *o)
{
	struct comparison c;

	compare_runs(a->at, a->count, b->at, b->count, o, &c);
	return c;
}

static void test_runs_against_themselves_are_the_same(void **state)
{
	struct compare_options o = {.tolerance = 0.02};
	struct random r = random_of(1);
	struct comparison c;
	struct runs a;

	(void)state;
	for (size_t count = 1; count < 6; count++) {
		struct runs copy;

		fill_runs(&r, count, 20, 1, 0.1, 0.1, &a);
		copy = a;
		for (size_t i = 0; i < count; i++)
			copy.at[i].ns = copy.ns[i];
		o.structural = count % 2;
		c = compare(&a, &copy, &o);
		assert_int_equal(c.verdict, VERDICT_SAME);
		assert_true(c.change == 0 && c.low == 0 && c.high == 0 && c.p == 1);
	}
}

static bool is_same_number(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

/*
 * Logarithms that differ in their sign alone, to the bit: there is one, a few roundings at most
 * from that of 1 + x, of which x is e^it - 1 and y is e^-it - 1.
 */
static void assert_mirrored(double x, double y)
{
	double shift = log1p(x);

	for (int i = 0; i < 8; i++)
		shift = nextafter(shift, -INFINITY);
	for (int i = 0; i < 17; i++, shift = nextafter(shift, INFINITY)) {
		if (is_same_number(portable_expm1(shift), x) &&
		    is_same_number(portable_expm1(-shift), y))
			return;
	}
	fail_msg("%.17g does not mirror %.17g", y, x);
}

static void assert_swapped(const struct comparison *c, const struct comparison *d)
{
	static const enum verdict other[] = {[VERDICT_SAME] = VERDICT_SAME,
					     [VERDICT_SLOWER] = VERDICT_FASTER,
					     [VERDICT_FASTER] = VERDICT_SLOWER,
					     [VERDICT_CANNOT_TELL] = VERDICT_CANNOT_TELL};

	assert_int_equal(d->verdict, other[c->verdict]);
	assert_mirrored(c->change, d->change);
	assert_mirrored(c->low, d->high);
	assert_mirrored(c->high, d->low);
	assert_mirrored(c->hodges_lehmann, d->hodges_lehmann);
	assert_true(is_same_number(c->p, d->p) && is_same_number(c->se, d->se));
	assert_true(is_same_number(c->run_sd, d->run_sd));
	assert_true(is_same_number(c->least_detectable, d->least_detectable));
	assert_mirrored(c->bound, d->bound);
	assert_true(is_same_number(c->outlook.overturned_by, d->outlook.overturned_by));
	assert_true(is_same_number(c->outlook.overturned_by_three, d->outlook.overturned_by_three));
	assert_true(is_same_number(c->outlook.settled_below, d->outlook.settled_below));
	assert_int_equal(c->outlook.runs_to_settle, d->outlook.runs_to_settle);
	assert_int_equal(c->driven_by, d->driven_by);
	assert_ptr_equal(c->method, d->method);
	assert_ptr_equal(c->why, d->why);
}

static void test_swapped_sides_flip(void **state)
{
	struct random r = random_of(2);
	struct runs a, b;

	(void)state;
	for (size_t i = 0; i < repeats(600); i++) {
		const struct compare_options o = {.tolerance = 0.02 * (double)(i % 3),
						  .has_run_sd = i % 2,
						  .run_sd = 0.01 * random_unit(&r),
						  .run_sd_runs = i % 7,
						  .paired = i % 5 == 0,
						  .structural = i % 4 == 0,
						  .looks_ahead = i % 20 == 0,
						  .seed = i};
		struct comparison c, d;

		fill_runs(&r, 1 + random_below(&r, i % 50 ? 6 : MOST_RUNS),
			  5 + random_below(&r, 60), 1, 0.02, 0.05, &a);
		fill_runs(&r, i % 3 ? a.count : 1 + random_below(&r, MOST_RUNS),
			  5 + random_below(&r, 60), 1 + 0.1 * draw_noise(&r), 0.02, 0.05, &b);
		c = compare(&a, &b, &o);
		d = compare(&b, &a, &o);
		assert_swapped(&c, &d);
	}
}

/* Unless runs are pairs, their order says nothing. */
static void test_order_of_runs_does_not_matter(void **state)
{
	const struct compare_options o = {.tolerance = 0.02, .seed = 4};
	struct random r = random_of(3);
	struct comparison c, d;
	struct runs a, b;

	(void)state;
	for (size_t count = 2; count <= MOST_RUNS; count++) {
		fill_runs(&r, count, 20, 1, 0.1, 0.1, &a);
		fill_runs(&r, count, 20, 1.05, 0.1, 0.1, &b);
		c = compare(&a, &b, &o);
		for (size_t i = 0; i < count / 2; i++) {
			const struct run_steps first = a.at[i];

			a.at[i] = a.at[count - 1 - i];
			a.at[count - 1 - i] = first;
		}
		d = compare(&a, &b, &o);
		assert_true(c.low == d.low && c.high == d.high && c.p == d.p);
		assert_int_equal(c.verdict, d.verdict);
	}
}

static void test_one_run_a_side_needs_a_spread(void **state)
{
	struct compare_options o = {.tolerance = 0.02, .looks_ahead = true};
	struct random r = random_of(5);
	struct comparison c;
	struct runs a, b;

	(void)state;
	fill_runs(&r, 1, 60, 1, 0, 0.02, &a);
	fill_runs(&r, 1, 60, 1.1, 0, 0.02, &b);
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	assert_true(c.has_interval && !c.run_sd_known && isnan(c.p) && isnan(c.least_detectable));
	/* One run tells no spread. */
	o.has_run_sd = true;
	o.run_sd = 0.01;
	o.run_sd_runs = 1;
	assert_false(compare(&a, &b, &o).run_sd_known);
	o = (struct compare_options){.tolerance = 0.02, .structural = true};
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_SLOWER);
	fill_runs(&r, 1, 60, 1.001, 0, 0.01, &b);
	o = (struct compare_options){.tolerance = 0.02, .has_run_sd = true, .run_sd = 0.002};
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_SAME);
	/* Other code may take as long in these two runs by chance. */
	o = (struct compare_options){.tolerance = 0.02, .structural = true};
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_CANNOT_TELL);
	assert_false(compare(&a, &b, &o).not_slower);
}

/* Three runs with this very spread, about the mean of a run: as a baseline may have them. */
static void spread_runs(const struct runs *one, double spread, struct runs *ret)
{
	*ret = *one;
	ret->count = 3;
	for (size_t i = 0; i < 3; i++) {
		ret->at[i] = (struct run_steps){ret->ns[i], one->at[0].count};
		for (size_t k = 0; k < one->at[0].count; k++)
			ret->ns[i][k] = one->ns[0][k] * exp(spread * ((double)i - 1));
	}
}

/* Below the spread that is said to overturn a change it is news, above it is not. */
static void assert_overturned(const struct runs *a, const struct runs *b)
{
	struct compare_options o = {.tolerance = 0.02, .looks_ahead = true};
	const struct outlook outlook = compare(a, b, &o).outlook;
	struct runs three;

	o.has_run_sd = true;
	assert_true(outlook.overturned_by > 0 && outlook.overturned_by_three > 0);
	assert_true(outlook.overturned_by_three < outlook.overturned_by);
	o.run_sd = outlook.overturned_by * 0.999;
	assert_int_equal(compare(a, b, &o).verdict, VERDICT_SLOWER);
	assert_int_equal(compare(b, a, &o).verdict, VERDICT_FASTER);
	o.run_sd = outlook.overturned_by * 1.001;
	assert_int_equal(compare(a, b, &o).verdict, VERDICT_CANNOT_TELL);
	o.has_run_sd = false;
	spread_runs(a, outlook.overturned_by_three * 0.98, &three);
	assert_int_equal(compare(&three, b, &o).verdict, VERDICT_SLOWER);
	spread_runs(a, outlook.overturned_by_three * 1.02, &three);
	assert_int_equal(compare(&three, b, &o).verdict, VERDICT_CANNOT_TELL);
}

static void test_a_spread_overturns_what_it_is_said_to(void **state)
{
	static const size_t steps[] = {60, 20, 10, 6, 4};
	struct random r = random_of(14);
	struct runs a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		fill_runs(&r, 1, steps[i], 1, 0, 0.02, &a);
		fill_runs(&r, 1, steps[i], 1.5, 0, 0.02, &b);
		assert_overturned(&a, &b);
	}
}

/* As many runs as steps make necessary, of a spread that the change leaves room for. */
static void test_runs_to_settle_follow_from_what_is_known(void **state)
{
	struct compare_options o = {.tolerance = 0.02, .looks_ahead = true};
	struct random r = random_of(15);
	struct runs a, b;
	struct outlook small, large, noisy;

	(void)state;
	fill_runs(&r, 1, 60, 1, 0, 0.02, &a);
	fill_runs(&r, 1, 60, 1.05, 0, 0.02, &b);
	small = compare(&a, &b, &o).outlook;
	fill_runs(&r, 1, 60, 1.5, 0, 0.02, &b);
	large = compare(&a, &b, &o).outlook;
	assert_true(small.settled_below > 0.01 && small.settled_below < 0.02);
	assert_true(large.settled_below > 10 * small.settled_below);
	/* The spread of steps alone asks for more than the fewest. */
	fill_runs(&r, 1, 12, 1.05, 0, 0.9, &b);
	noisy = compare(&a, &b, &o).outlook;
	assert_true(noisy.runs_to_settle > small.runs_to_settle);
	o.has_run_sd = true;
	o.run_sd = 0.02;
	fill_runs(&r, 1, 60, 1.05, 0, 0.02, &b);
	small = compare(&a, &b, &o).outlook;
	assert_true(small.runs_to_settle > 4 && small.runs_to_settle < 12);
	assert_true(isnan(small.settled_below));
	/* More than anybody makes are not named. */
	o.run_sd = 2;
	assert_int_equal(compare(&a, &b, &o).outlook.runs_to_settle, 0);
}

static void test_few_steps_have_a_bound_and_no_interval(void **state)
{
	const struct compare_options code = {.tolerance = 0.02, .structural = true},
				     known = {
					     .tolerance = 0.02, .has_run_sd = true, .run_sd = 0.01};
	struct random r = random_of(6);
	struct comparison c;
	struct runs a, b;

	(void)state;
	for (size_t steps = 3; steps < 8; steps++) {
		fill_runs(&r, 1, steps, 1, 0, 0.02, &a);
		fill_runs(&r, 1, steps, 3, 0, 0.02, &b);
		c = compare(&a, &b, &code);
		assert_int_equal(c.verdict, VERDICT_SLOWER);
		assert_true(!c.has_interval && isnan(c.low) && isnan(c.after.se_ns));
		assert_true(c.bound > 0.02 && c.bound < c.change);
		c = compare(&b, &a, &known);
		assert_int_equal(c.verdict, VERDICT_FASTER);
		assert_true(c.run_sd_known && c.bound < -0.02 && c.bound > c.change);
		/* Not as far apart as single steps are. */
		fill_runs(&r, 1, steps, 1.03, 0, 0.05, &b);
		c = compare(&a, &b, &code);
		assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
		assert_true(isnan(c.bound));
		/* The code is the same: other runs may differ. */
		fill_runs(&r, 1, steps, 3, 0, 0.02, &b);
		c = compare(&a, &b, &(struct compare_options){.tolerance = 0.02});
		assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	}
}

/* Steps that differ much among themselves, ten times as long as those of the other run. */
static void test_steps_that_lie_apart_stand(void **state)
{
	const struct compare_options code = {.tolerance = 0.02, .structural = true};
	static const double fast[] = {22, 21, 21, 21, 20, 20, 20, 20, 19, 19},
			    slow[] = {250, 290, 270, 220, 160, 180, 200, 170, 145, 140},
			    near[] = {45, 52, 49, 40, 29, 32, 36, 31, 26, 25};
	const struct run_steps from = {fast, 10}, to = {slow, 10}, half = {near, 10};
	struct comparison c;

	(void)state;
	compare_runs(&from, 1, &to, 1, &code, &c);
	assert_int_equal(c.verdict, VERDICT_SLOWER);
	/* The fastest slow step over the slowest fast one, less what the slow ones differ by. */
	assert_true(fabs(c.bound - (140.0 / 22 / (290.0 / 140) - 1)) < 1e-9);
	compare_runs(&to, 1, &from, 1, &code, &c);
	assert_int_equal(c.verdict, VERDICT_FASTER);
	/* Apart, but by less than they differ among themselves. */
	compare_runs(&from, 1, &half, 1, &code, &c);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	/* The code is the same: other runs may differ. */
	compare_runs(&from, 1, &to, 1, &(struct compare_options){.tolerance = 0.02}, &c);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
}

/* One step shows no spread of steps; one window has none. */
static void test_one_step_is_no_window(void **state)
{
	struct compare_options o = {
		.tolerance = 0.02, .structural = true, .has_run_sd = true, .run_sd = 0.01};
	struct random r = random_of(16);
	struct comparison c;
	struct runs a, b;

	(void)state;
	fill_runs(&r, 1, 1, 1, 0, 0.02, &a);
	fill_runs(&r, 1, 1, 3, 0, 0.02, &b);
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_CANNOT_TELL);
	o.of_windows = true;
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_SLOWER);
	assert_true(c.has_interval && fabs(c.se - 0.01 * sqrt(2)) < 1e-12);
	o.has_run_sd = false;
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_CANNOT_TELL);
}

/* Of several runs and a spread that somebody gives, the larger spread counts. */
static void test_runs_are_believed_that_differ_more(void **state)
{
	struct compare_options o = {.tolerance = 0.02, .has_run_sd = true, .run_sd = 0.01};
	struct random r = random_of(26);
	struct comparison c;
	struct runs one, a, b;

	(void)state;
	fill_runs(&r, 1, 60, 1, 0, 0.001, &one);
	spread_runs(&one, 0.1, &a);
	fill_runs(&r, 1, 60, 1.15, 0, 0.001, &b);
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	assert_true(fabs(c.run_sd - 0.1) < 1e-3);
	assert_non_null(strstr(c.spread, "theirs counts"));
	spread_runs(&one, 0.001, &a);
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_SLOWER);
	assert_true(c.run_sd == o.run_sd);
	assert_true(c.spread && strstr(c.spread, "given counts"));
	/* A spread that was told from runs is pooled with that of these. */
	o.run_sd_runs = 3;
	assert_null(compare(&a, &b, &o).spread);
	fill_runs(&r, 4, 60, 1, 0.001, 0.001, &a);
	fill_runs(&r, 4, 60, 1.05, 0.001, 0.001, &b);
	o = (struct compare_options){.tolerance = 0.02, .has_run_sd = true, .run_sd = 0.2};
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_CANNOT_TELL);
}

/* Whatever is said of the spread: more of it leaves more open, and none leaves less open than what
 * the runs show. */
static void test_a_larger_spread_is_never_surer(void **state)
{
	static const size_t counts[][2] = {{2, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 4}, {5, 6}};
	struct random r = random_of(27);
	struct runs a, b;

	(void)state;
	for (size_t i = 0; i < repeats(200); i++) {
		const size_t *count = counts[i % ARRAY_LEN(counts)];
		struct compare_options o = {.tolerance = 0.02, .run_sd = 1e-4, .seed = 4};
		struct comparison last, c = {0};

		fill_runs(&r, count[0], 20, 1, 0.1 * random_unit(&r), 0.05, &a);
		fill_runs(&r, count[1], 20, 1 + 0.3 * draw_noise(&r), 0.05, 0.05, &b);
		last = compare(&a, &b, &o);
		o.has_run_sd = true;
		for (; o.run_sd < 1; o.run_sd *= 1.3, last = c) {
			c = compare(&a, &b, &o);
			assert_true(c.low <= last.low && c.high >= last.high);
			assert_true(c.verdict == last.verdict || c.verdict == VERDICT_CANNOT_TELL);
			assert_true(c.run_sd >= o.run_sd);
		}
		assert_true(c.spread && strstr(c.spread, "given counts"));
	}
}

/* Four runs that lie next to each other however much their steps differ, as `scale` has it. */
static void repeat_run(const struct runs *one, double scale, struct runs *ret)
{
	ret->count = 4;
	for (size_t i = 0; i < ret->count; i++) {
		ret->at[i] = (struct run_steps){ret->ns[i], one->at[0].count};
		for (size_t k = 0; k < one->at[0].count; k++)
			ret->ns[i][k] = one->ns[0][k] * scale * (1 + 1e-4 * (double)(i % 3));
	}
}

/* What steps make runs differ by is in what they show: a spread of next to none, beside that of the
 * steps, leaves no more open. */
static void test_no_spread_makes_runs_no_less_sure(void **state)
{
	struct compare_options o = {.tolerance = 0.02, .seed = 4};
	struct random r = random_of(28);
	struct comparison own, c;
	struct runs one, a, b;

	(void)state;
	fill_runs(&r, 1, 20, 1, 0, 0.5, &one);
	repeat_run(&one, 1, &a);
	repeat_run(&one, 1.04, &b);
	own = compare(&a, &b, &o);
	assert_int_equal(own.verdict, VERDICT_SLOWER);
	o.has_run_sd = true;
	c = compare(&a, &b, &o);
	assert_true(c.verdict == own.verdict && c.low == own.low && c.high == own.high);
	assert_non_null(strstr(c.spread, "theirs counts"));
	o.run_sd = 1e-6;
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_SLOWER);
	o.run_sd = 0.02;
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	assert_non_null(strstr(c.spread, "given counts"));
}

static void test_methods_follow_from_the_number_of_runs(void **state)
{
	static const struct {
		size_t before, after;
		bool known, paired;
		const char *says;
	} cases[] = {
		{2, 2, false, false, "Welch"},
		{3, 9, false, false, "Welch"},
		{1, 5, false, false, "borrows"},
		{3, 3, true, false, "Welch"},
		{1, 2, true, false, "borrows"},
		{4, 4, true, false, "exact permutation of runs"},
		{10, 4, false, false, "exact"},
		{11, 4, false, false, "drawn"},
		{4, 4, false, true, "t over pairs"},
		{5, 5, false, true, "exact permutation of signs"},
		{11, 11, false, true, "drawn"},
		{5, 6, false, true, "exact permutation of runs"},
	};
	struct random r = random_of(7);
	struct runs a, b;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct compare_options o = {.tolerance = 0.02,
						  .has_run_sd = cases[i].known,
						  .run_sd = 0.001,
						  .paired = cases[i].paired};
		struct comparison c;

		fill_runs(&r, cases[i].before, 20, 1, 0.001, 0.01, &a);
		fill_runs(&r, cases[i].after, 20, 1.3, 0.001, 0.01, &b);
		c = compare(&a, &b, &o);
		assert_non_null(strstr(c.method, cases[i].says));
		assert_true(c.run_sd_known && c.low < c.change && c.change < c.high);
		assert_true(c.hodges_lehmann > 0.28 && c.hodges_lehmann < 0.32);
		/* Two runs a side have one or two degrees of freedom. */
		if (cases[i].before > 2)
			assert_int_equal(c.verdict, VERDICT_SLOWER);
	}
}

/* Pairs that have more in common than runs: only as pairs do they tell. */
static void test_pairs_take_off_what_they_share(void **state)
{
	struct compare_options o = {.tolerance = 0.02};
	struct comparison alone, with_spread;
	struct random r = random_of(8);
	struct runs a, b;

	(void)state;
	fill_runs(&r, 6, 20, 1, 0.2, 0.01, &a);
	b = a;
	for (size_t i = 0; i < 6; i++) {
		b.at[i].ns = b.ns[i];
		for (size_t k = 0; k < 20; k++)
			b.ns[i][k] *= 1.05 + 0.01 * draw_noise(&r);
	}
	assert_int_equal(compare(&a, &b, &o).verdict, VERDICT_CANNOT_TELL);
	o.paired = true;
	alone = compare(&a, &b, &o);
	assert_int_equal(alone.verdict, VERDICT_SLOWER);
	assert_null(alone.spread);
	/* How far runs are apart does not say how far differences of pairs are. */
	o.has_run_sd = true;
	o.run_sd = 0.2;
	with_spread = compare(&a, &b, &o);
	assert_true(with_spread.low == alone.low && with_spread.high == alone.high);
	assert_non_null(strstr(with_spread.spread, "does not count"));
}

/* Runs and their steps differ far more than pairs do: both runs of one go through the same. */
static void fill_pairs(const double *shifts, size_t count, struct runs *a, struct runs *b)
{
	struct random r = random_of(27);

	fill_runs(&r, count, 20, 1, 0.2, 0.2, a);
	*b = *a;
	for (size_t i = 0; i < count; i++) {
		b->at[i].ns = b->ns[i];
		for (size_t k = 0; k < 20; k++)
			b->ns[i][k] *= exp(shifts[i]);
	}
}

/* How far runs are apart says nothing of how many pairs there must be. */
static void test_pairs_to_settle_follow_from_differences(void **state)
{
	static const double open[] = {0.004, 0.024, 0.044, 0.024}, wide[] = {-0.2, 0.3, 0.4, -0.4};
	const struct compare_options o = {.tolerance = 0.02, .paired = true, .looks_ahead = true};
	const double sd = 0.02 * sqrt(2.0 / 3), gap = 0.024 - log(1.02);
	struct comparison c;
	struct runs a, b;

	(void)state;
	fill_pairs(open, ARRAY_LEN(open), &a, &b);
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	assert_true(fabs(c.run_sd - sd) < 1e-9);
	/* One sample: (z₉₅ + z₈₀)² σ² / g² + z₉₅² / 2 */
	assert_int_equal(c.outlook.runs_to_settle,
			 ceil(6.1826 * sd * sd / (gap * gap) + 1.645 * 1.645 / 2));
	fill_pairs(wide, ARRAY_LEN(wide), &a, &b);
	assert_int_equal(compare(&a, &b, &o).outlook.runs_to_settle, 0);
}

/* The same trace twice is no second run. */
static void test_copies_are_not_certain(void **state)
{
	const struct compare_options o = {.tolerance = 0};
	struct random r = random_of(9);
	struct comparison c;
	struct runs a, b;

	(void)state;
	fill_runs(&r, 2, 30, 1, 0, 0.05, &a);
	fill_runs(&r, 2, 30, 1, 0, 0.05, &b);
	a.at[1] = a.at[0];
	b.at[1] = b.at[0];
	c = compare(&a, &b, &o);
	assert_int_equal(c.verdict, VERDICT_CANNOT_TELL);
	assert_true(c.se > 0);
}

/* One data order makes steps vary alike in all runs: how far these differ is what counts. */
static void test_steps_that_vary_alike_are_no_noise(void **state)
{
	const struct compare_options o = {.tolerance = 0.02};
	double steps[6][30];
	struct run_steps runs[6];
	struct comparison c;

	(void)state;
	for (int i = 0; i < 6; i++) {
		for (int k = 0; k < 30; k++)
			steps[i][k] =
				(100 + 60 * (k % 7)) * (i < 3 ? 1 : 1.05) * (1 + 0.001 * (i % 3));
		runs[i] = (struct run_steps){steps[i], 30};
	}
	compare_runs(runs, 3, &runs[3], 3, &o, &c);
	assert_int_equal(c.verdict, VERDICT_SLOWER);
	assert_true(c.low > 0.04 && c.high < 0.06);
}

static void test_few_long_steps_are_named(void **state)
{
	const struct compare_options o = {.tolerance = 0.02};
	struct random r = random_of(10);
	struct comparison c, d;
	struct runs a, b;

	(void)state;
	fill_runs(&r, 1, 60, 1, 0, 0.002, &a);
	fill_runs(&r, 1, 60, 0.99, 0, 0.002, &b);
	b.ns[0][10] *= 3;
	b.ns[0][40] *= 3;
	c = compare(&a, &b, &o);
	d = compare(&b, &a, &o);
	assert_true(c.change > 0 && c.hodges_lehmann < 0);
	assert_int_equal(c.driven_by, 2);
	assert_int_equal(d.driven_by, 2);
	/* The usual step is a little longer, too: by next to nothing of what these two make. */
	fill_runs(&r, 1, 60, 1.002, 0, 0.002, &b);
	b.ns[0][10] *= 4;
	b.ns[0][40] *= 4;
	c = compare(&a, &b, &o);
	assert_true(c.hodges_lehmann > 0 && c.driven_by == 2);
	fill_runs(&r, 1, 60, 1.1, 0, 0.002, &b);
	assert_int_equal(compare(&a, &b, &o).driven_by, 0);
}

static double draw_strange(struct random *r)
{
	static const double strange[] = {NAN,  INFINITY, -INFINITY, 0,	  -0.0,	   -1, 1e300,
					 -1e9, 1e-300,	 5e-324,    1e18, DBL_MAX, 1};

	return random_below(r, 3) ? 1e6 * random_unit(r)
				  : strange[random_below(r, ARRAY_LEN(strange))];
}

static void test_anything_gets_an_answer(void **state)
{
	struct random r = random_of(11);
	struct runs a, b;

	(void)state;
	for (size_t i = 0; i < repeats(4000); i++) {
		const struct compare_options o = {.tolerance = i % 9 ? 0.02 : draw_strange(&r),
						  .has_run_sd = i % 2,
						  .run_sd = i % 6 ? 0.01 : draw_strange(&r),
						  .run_sd_runs = random_below(&r, 4),
						  .paired = i % 5 == 0,
						  .structural = i % 3 == 0,
						  .of_windows = i % 4 == 0,
						  .looks_ahead = i % 10 == 0};
		struct comparison c;

		fill_runs(&r, random_below(&r, 6), random_below(&r, 25), 1, 0.1, 0.1, &a);
		fill_runs(&r, random_below(&r, 6), random_below(&r, 25), 1, 0.1, 0.1, &b);
		for (size_t k = 0; k < a.count * 25 && i % 4; k++)
			a.ns[k / 25][k % 25] = draw_strange(&r);
		for (size_t k = 0; k < b.count * 25 && i % 8; k++)
			b.ns[k / 25][k % 25] = draw_strange(&r);
		c = compare(&a, &b, &o);
		assert_true(c.why && c.method);
		assert_true(!c.has_interval || c.low <= c.high);
		assert_true(isnan(c.p) || (c.p >= 0 && c.p <= 1));
		assert_true(!c.before.runs || c.before.mean_ns > 0);
		assert_true(c.verdict == VERDICT_CANNOT_TELL || c.verdict == VERDICT_SAME ||
			    c.has_interval || !isnan(c.bound));
	}
}

static void test_a_million_steps_take_less_than_a_second(void **state)
{
	const struct compare_options o = {.tolerance = 0.02, .has_run_sd = true, .run_sd = 0.01};
	const size_t n = repeats(1000000);
	double *ns = mem_alloc(2 * n, sizeof(*ns)), x = 0;
	const struct run_steps runs[] = {{ns, n}, {ns + n, n}};
	struct random r = random_of(12);
	struct comparison c;
	clock_t began;

	(void)state;
	for (size_t i = 0; i < 2 * n; i++) {
		x = 0.9 * x + draw_noise(&r);
		ns[i] = 1e7 + 1e5 * x;
	}
	began = clock();
	compare_runs(&runs[0], 1, &runs[1], 1, &o, &c);
	/* Time of this process alone: others may have the cores. */
	assert_true(getenv("QUICK") || clock() - began < CLOCKS_PER_SEC);
	assert_true(c.before.effective_steps > (double)n / 25);
	assert_true(c.before.effective_steps < (double)n / 15);
	assert_true(fabs(c.change) < 0.001);
	free(ns);
}

/* To the bit on every machine, by every compiler: found on an x86, by gcc. */
static void test_figures_are_those_of_other_machines(void **state)
{
	const struct compare_options o = {
		.tolerance = 0.02, .has_run_sd = true, .run_sd = 0.01, .run_sd_runs = 5};
	struct random r = random_of(13);
	struct comparison c;
	struct runs a, b;

	(void)state;
	fill_runs(&r, 1, 60, 1, 0.02, 0.05, &a);
	fill_runs(&r, 1, 50, 1.03, 0.02, 0.05, &b);
	c = compare(&a, &b, &o);
	assert_true(c.change == 0x1.adfc5a5efbfb8p-6 && c.low == -0x1.9b5d50359ffd3p-8);
	assert_true(c.p == 0x1.4aa8248b12f5ep-3 && c.least_detectable == 0x1.93db2fbb8436ap-5);
	fill_runs(&r, 12, 20, 1, 0.02, 0.05, &a);
	fill_runs(&r, 11, 20, 1.03, 0.02, 0.05, &b);
	c = compare(&a, &b, &o);
	assert_true(c.change == 0x1.132a759234e9bp-5 && c.low == 0x1.908f07f416007p-6);
	assert_true(c.p == 0x1.a36e2eb1c432dp-13 && c.least_detectable == 0x1.bdde62a1c065ep-7);
}

int compare_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_against_themselves_are_the_same),
		cmocka_unit_test(test_swapped_sides_flip),
		cmocka_unit_test(test_order_of_runs_does_not_matter),
		cmocka_unit_test(test_one_run_a_side_needs_a_spread),
		cmocka_unit_test(test_a_spread_overturns_what_it_is_said_to),
		cmocka_unit_test(test_runs_to_settle_follow_from_what_is_known),
		cmocka_unit_test(test_few_steps_have_a_bound_and_no_interval),
		cmocka_unit_test(test_steps_that_lie_apart_stand),
		cmocka_unit_test(test_one_step_is_no_window),
		cmocka_unit_test(test_runs_are_believed_that_differ_more),
		cmocka_unit_test(test_a_larger_spread_is_never_surer),
		cmocka_unit_test(test_no_spread_makes_runs_no_less_sure),
		cmocka_unit_test(test_methods_follow_from_the_number_of_runs),
		cmocka_unit_test(test_pairs_take_off_what_they_share),
		cmocka_unit_test(test_pairs_to_settle_follow_from_differences),
		cmocka_unit_test(test_copies_are_not_certain),
		cmocka_unit_test(test_steps_that_vary_alike_are_no_noise),
		cmocka_unit_test(test_few_long_steps_are_named),
		cmocka_unit_test(test_anything_gets_an_answer),
		cmocka_unit_test(test_a_million_steps_take_less_than_a_second),
		cmocka_unit_test(test_figures_are_those_of_other_machines),
	};

	return cmocka_run_group_tests_name("compare", tests, NULL, NULL);
}
