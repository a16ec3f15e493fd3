/* The parts of src/statistics against other ways to the same numbers. */
#include "groups.h"
#include "statistics/autocorrelation.h"
#include "statistics/driving_steps.h"
#include "statistics/hodges_lehmann.h"
#include "statistics/max_t.h"
#include "statistics/permutation.h"
#include "statistics/portable_math.h"
#include "statistics/random.h"
#include "statistics/run_spread.h"
#include "statistics/sorted.h"
#include "statistics/step_bootstrap.h"
#include "statistics/student.h"
#include "statistics/warm_up.h"
#include "statistics/welch.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double found, double expected, double share)
{
	if (!(fabs(found - expected) <= share * fmax(fabs(expected), 1e-300)))
		fail_msg("%.17g is not %.17g", found, expected);
}

static double draw_normal(struct random *r)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_unit(r);
	return sum;
}

static void fill_series(struct random *r, double phi, double *out, size_t n)
{
	double x = draw_normal(r);

	for (size_t i = 0; i < n; i++) {
		out[i] = 100 + x;
		x = phi * x + sqrt(1 - phi * phi) * draw_normal(r);
	}
}

static void test_math_is_that_of_libm(void **state)
{
	struct random r = random_of(1);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const double x = exp(1400 * random_unit(&r) - 700), y = 60 * random_unit(&r) - 30;
		int sign;

		assert_near(portable_log(x), log(x), 1e-15);
		assert_near(portable_log(1 + y / 100), log(1 + y / 100), 4e-16);
		assert_near(portable_exp(y), exp(y), 4e-15);
		assert_near(portable_expm1(y / 100), expm1(y / 100), 1e-15);
		assert_near(portable_expm1(y), expm1(y), 4e-15);
		assert_near(portable_log_gamma(30.001 + y) + 1, lgamma_r(30.001 + y, &sign) + 1,
			    4e-14);
	}
	assert_true(portable_log(1) == 0 && portable_expm1(0) == 0 && portable_exp(0) == 1);
	assert_true(isnan(portable_expm1(NAN)) && isinf(portable_exp(1000)));
}

static void test_draws_are_even_and_repeat(void **state)
{
	struct random r = random_of(7), again = random_of(7), other = random_of(8);
	size_t count[6] = {0}, same = 0;

	(void)state;
	for (int i = 0; i < 60000; i++) {
		const uint64_t x = random_next(&other);

		same += x == random_next(&r);
		assert_true(random_unit(&again) < 1);
		count[random_below(&r, 6)]++;
		random_next(&again);
	}
	assert_int_equal(same, 0);
	for (int i = 0; i < 6; i++)
		assert_in_range(count[i], 9600, 10400);
}

/* What tables print, with fewer digits. */
static void test_quantiles_are_those_of_tables(void **state)
{
	static const struct {
		double p, df, t;
	} table[] = {
		{0.95, 1, 6.313752},   {0.95, 2, 2.919986},    {0.95, 5, 2.015048},
		{0.95, 10, 1.812461},  {0.95, 30, 1.697261},   {0.95, INFINITY, 1.644855},
		{0.975, 4, 2.776445},  {0.8, 6, 0.905703},     {0.8, INFINITY, 0.841622},
		{0.995, 8, 3.355387},  {0.9995, 3, 12.923979}, {0.75, 1, 1},
		{0.975, 120, 1.97993}, {0.05, 2, -2.919986},   {0.5, 3, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		assert_true(fabs(student_quantile(table[i].p, table[i].df) - table[i].t) < 2e-6);
	assert_true(student_quantile(0.9, 3.7) == -student_quantile(1 - 0.9, 3.7));
	assert_true(isnan(student_quantile(0.9, 0)) && isnan(student_quantile(1, 3)));
}

/* Simpson's rule over the density, from 0. */
static double integrate_student(double t, double df)
{
	const int parts = 4000;
	double sum = 0;

	for (int i = 0; i <= parts; i++) {
		const double x = t * i / parts;

		sum += (i == 0 || i == parts ? 1
			: i % 2		     ? 4
					     : 2) *
		       pow(1 + x * x / df, -(df + 1) / 2);
	}
	return 0.5 +
	       sum * t / parts / 3 * exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * M_PI);
}

static void test_student_is_the_integral_of_its_density(void **state)
{
	static const double dfs[] = {0.7, 1, 1.5, 2.37, 4, 9.9, 33, 250.5, 40000};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(dfs); i++) {
		for (int k = -11; k <= 11; k++) {
			const double t = 0.37 * k, p = student_cdf(t, dfs[i]);

			assert_true(fabs(p - integrate_student(t, dfs[i])) < 1e-9);
			assert_true(fabs(student_quantile(p, dfs[i]) - t) < 1e-6);
		}
	}
}

/* The variance of the bootstrap's mean, as drawing blocks 9,999 times gives it. */
static double draw_block_variance(const double *centred, size_t n, size_t block, struct random *r)
{
	const size_t blocks = n / block;
	double squares = 0;

	for (int draw = 0; draw < PERMUTATION_DRAWS; draw++) {
		double sum = 0;

		for (size_t b = 0; b < blocks; b++) {
			const size_t from = random_below(r, n);

			for (size_t i = 0; i < block; i++)
				sum += centred[(from + i) % n];
		}
		squares += sum / (double)n * (sum / (double)n);
	}
	return squares / PERMUTATION_DRAWS;
}

static void test_bootstrap_is_what_drawing_gives(void **state)
{
	static const size_t blocks[] = {1, 4, 10};
	struct random r = random_of(3);
	double steps[120], centred[120];

	(void)state;
	fill_series(&r, 0.6, steps, 120);
	step_centre(steps, 120, centred);
	for (size_t i = 0; i < ARRAY_LEN(blocks); i++)
		assert_near(draw_block_variance(centred, 120, blocks[i], &r),
			    step_block_variance(centred, 120, blocks[i]) / 120, 0.05);
}

/* Of a first-order autoregression (1 - phi) / (1 + phi) of the steps are effective. */
static void test_effective_steps_are_found(void **state)
{
	static const double phis[] = {0, 0.5, 0.9};
	double *steps = mem_alloc(4000, sizeof(*steps));
	struct random r = random_of(5);
	struct step_bootstrap found;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(phis); i++) {
		const double phi = phis[i], share = (1 - phi) / (1 + phi);
		double effective = 0, se = 0;

		for (int k = 0; k < 20; k++) {
			fill_series(&r, phi, steps, 4000);
			step_bootstrap(steps, 4000, &found);
			assert_true(fabs(found.mean - 100) < 6 * found.se);
			effective += found.effective / 20;
			se += found.se / 20;
		}
		assert_near(effective, 4000 * share, 0.1);
		assert_near(se, sqrt(1 / (4000 * share)), 0.07);
	}
	free(steps);
}

static void test_steps_without_a_mean_have_no_error(void **state)
{
	double steps[200];
	struct step_bootstrap found;

	(void)state;
	for (int i = 0; i < 200; i++)
		steps[i] = 100 + i;
	step_bootstrap(steps, 200, &found);
	assert_true(isnan(found.se) && found.effective < STEPS_ENOUGH);
	step_bootstrap(steps, 7, &found);
	assert_true(isnan(found.se) && found.mean == 103);
	step_bootstrap(steps, 1, &found);
	assert_true(isnan(found.se) && found.mean == 100);
	step_bootstrap(steps, 0, &found);
	assert_true(isnan(found.se));
	for (int i = 0; i < 200; i++)
		steps[i] = 0.1;
	step_bootstrap(steps, 200, &found);
	assert_true(found.se == 0 && found.effective == 200);
}

static void test_periods_are_found(void **state)
{
	struct random r = random_of(11);
	double steps[240], centred[240];
	struct autocorrelation a;
	size_t wrong = 0;

	(void)state;
	for (size_t period = 2; period <= 30; period += 4) {
		for (size_t i = 0; i < 240; i++)
			steps[i] = 100 + draw_normal(&r) + (i % period == 1 ? 10 : 0);
		step_centre(steps, 240, centred);
		a = autocorrelation_of(centred, 240);
		assert_int_equal(autocorrelation_period(&a), period);
		autocorrelation_free(&a);
	}
	for (int i = 0; i < 100; i++) {
		fill_series(&r, 0.7, steps, 240);
		step_centre(steps, 240, centred);
		a = autocorrelation_of(centred, 240);
		wrong += autocorrelation_period(&a) > 0;
		autocorrelation_free(&a);
	}
	assert_in_range(wrong, 0, 30);
}

/* The share of ways to deal the labels with a difference as large, once `after` is less by `shift`.
 */
static double share_as_large(const double *before, size_t na, const double *after, size_t nb,
			     double shift, bool two_sided)
{
	double all[16], sum = 0, seen = 0;
	size_t as_large = 0, ways = 0;

	for (size_t i = 0; i < na + nb; i++) {
		all[i] = i < na ? before[i] : after[i - na] - shift;
		sum += all[i];
		seen += i < na ? 0 : all[i];
	}
	seen = seen / (double)nb - (sum - seen) / (double)na;
	for (unsigned set = 0; set < 1u << (na + nb); set++) {
		double part = 0;

		if ((size_t)__builtin_popcount(set) != nb)
			continue;
		for (size_t i = 0; i < na + nb; i++)
			part += set >> i & 1 ? all[i] : 0;
		part = part / (double)nb - (sum - part) / (double)na;
		ways++;
		as_large += two_sided ? fabs(part) >= fabs(seen) - 1e-12 : part >= seen - 1e-12;
	}
	return (double)as_large / (double)ways;
}

static void test_bounds_are_where_permutations_reject(void **state)
{
	struct random r = random_of(13);
	double a[6], b[6];
	struct estimate e;

	(void)state;
	for (int trial = 0; trial < 20; trial++) {
		const size_t na = 4 + random_below(&r, 3), nb = 4 + random_below(&r, 3);

		for (size_t i = 0; i < 6; i++) {
			a[i] = draw_normal(&r);
			b[i] = draw_normal(&r) + 0.5;
		}
		permutation_shift(a, na, b, nb, 1, &e);
		assert_near(e.p, share_as_large(a, na, b, nb, 0, true), 1e-12);
		assert_true(share_as_large(a, na, b, nb, e.low - 1e-6, false) <= 0.05);
		assert_true(share_as_large(a, na, b, nb, e.low + 1e-6, false) > 0.05);
		for (size_t i = 0; i < 6; i++) {
			a[i] = -a[i];
			b[i] = -b[i];
		}
		assert_true(share_as_large(a, na, b, nb, -e.high - 1e-6, false) <= 0.05);
		assert_true(share_as_large(a, na, b, nb, -e.high + 1e-6, false) > 0.05);
	}
}

/* Who swaps all labels of sides of one size is as far: logarithms of times are large beside their
 * differences, and round. */
static void test_ways_come_in_twos(void **state)
{
	struct random r = random_of(29);

	(void)state;
	for (int trial = 0; trial < 400; trial++) {
		double a[4], b[4], ways;
		struct estimate e;

		for (size_t i = 0; i < 4; i++) {
			a[i] = log(1e6 * (1 + 1e-4 * draw_normal(&r)));
			b[i] = log(1e6 * (1 + 1e-4 * draw_normal(&r)));
		}
		permutation_shift(a, 4, b, 4, 1, &e);
		ways = 70 * e.p;
		assert_near(ways, 2 * round(ways / 2), 1e-12);
	}
}

/* The least p that so many runs can have. */
static void test_least_p_is_known(void **state)
{
	const double a[] = {1, 2, 3, 4, 5}, b[] = {11, 12, 13, 14, 15};
	const double pairs[] = {1, 2, 3, 4, 5, 6};
	struct estimate e;

	(void)state;
	permutation_shift(a, 4, b, 4, 1, &e);
	assert_near(e.p, 2.0 / 70, 1e-12);
	assert_near(e.level, 3.0 / 70, 1e-12);
	permutation_shift(a, 5, b, 5, 1, &e);
	assert_near(e.p, 2.0 / 252, 1e-12);
	permutation_pairs(pairs, 6, 1, &e);
	assert_near(e.p, 2.0 / 64, 1e-12);
	assert_near(e.low, (1 + 3) / 2.0, 1e-12);
}

/* The share of all ways to turn pairs round with a sum as far from 0. */
static double share_of_flips(const double *differences, size_t n)
{
	double seen = 0;
	size_t as_far = 0;

	for (size_t i = 0; i < n; i++)
		seen += differences[i];
	for (unsigned set = 0; set < 1u << n; set++) {
		double sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += set >> i & 1 ? -differences[i] : differences[i];
		as_far += fabs(sum) >= fabs(seen) - 1e-12;
	}
	return (double)as_far / (double)(1u << n);
}

/* Those that are drawn find what trying all finds. */
static void test_drawn_permutations_agree(void **state)
{
	struct random r = random_of(17);
	double a[12], b[12];
	struct estimate drawn, again, exact;

	(void)state;
	for (size_t i = 0; i < 12; i++) {
		a[i] = draw_normal(&r);
		b[i] = draw_normal(&r) + 1;
	}
	permutation_shift(a, 11, b, 10, 5, &drawn);
	permutation_shift(a, 11, b, 10, 5, &again);
	assert_memory_equal(&drawn, &again, sizeof(drawn));
	permutation_shift(a, 10, b, 10, 5, &exact);
	assert_true(fabs(drawn.low - exact.low) < 0.3 && fabs(drawn.high - exact.high) < 0.3);
	permutation_pairs(b, 12, 5, &drawn);
	assert_true(fabs(drawn.p - share_of_flips(b, 12)) < 0.01);
}

static void test_shift_is_the_median_of_all_differences(void **state)
{
	struct random r = random_of(19);

	(void)state;
	for (int trial = 0; trial < 50; trial++) {
		const size_t na = 1 + random_below(&r, 30), nb = 1 + random_below(&r, 30);
		double a[30], b[30], all[900], back;
		double *before, *after, *sorted;

		for (size_t i = 0; i < na; i++)
			a[i] = floor(4 * draw_normal(&r));
		for (size_t i = 0; i < nb; i++)
			b[i] = draw_normal(&r);
		for (size_t i = 0; i < na * nb; i++)
			all[i] = b[i % nb] - a[i / nb];
		before = sorted_copy(a, na);
		after = sorted_copy(b, nb);
		sorted = sorted_copy(all, na * nb);
		back = (sorted[(na * nb - 1) / 2] + sorted[na * nb / 2]) / 2;
		assert_true(hodges_lehmann(before, na, after, nb) == back);
		assert_true(hodges_lehmann(after, nb, before, na) == -back);
		free(before);
		free(after);
		free(sorted);
	}
}

static void test_shift_of_many_is_near(void **state)
{
	const size_t n = 60000;
	double *a = mem_alloc(n, sizeof(*a)), *b = mem_alloc(n, sizeof(*b));
	const double pairs[] = {-1, 2, 9};

	(void)state;
	for (size_t i = 0; i < n; i++) {
		a[i] = (double)i;
		b[i] = (double)i * 2;
	}
	assert_near(hodges_lehmann(a, n, b, n), (double)n / 2, 0.001);
	/* -1, 0.5, 2, 4, 5.5, 9 */
	assert_near(hodges_lehmann_pairs(pairs, 3), 3, 1e-12);
	free(a);
	free(b);
}

static void test_welch_is_worked_by_hand(void **state)
{
	/* Variances 1 and 16 of 3 and 3: se² = 1/3 + 16/3; df = se⁴ / (1/18 + 256/18). */
	const double a[] = {1, 2, 3}, b[] = {4, 8, 12}, five[] = {4, 5, 6, 7, 8};
	struct known_variance known = {0};
	struct estimate e;

	(void)state;
	welch(a, 3, b, 3, &known, &e);
	assert_near(e.shift, 6, 1e-12);
	assert_near(e.se, sqrt(17.0 / 3), 1e-12);
	assert_near(e.df, 289.0 / 9 / (257.0 / 18), 1e-12);
	assert_near(e.p, 2 * (1 - integrate_student(6 / e.se, e.df)), 1e-6);
	assert_near(e.high - e.shift, student_quantile(0.95, e.df) * e.se, 1e-12);
	/* Two and five: what the two would have on their own is less than all runs together say. */
	welch(a, 2, five, 5, &known, &e);
	assert_near(e.df, 5, 1e-12);
	assert_near(e.se, sqrt((0.5 + 4 * 2.5) / 5 * 0.7), 1e-12);
	/* One run borrows the variance of the others: 1, of two degrees of freedom. */
	welch(a, 3, b, 1, &known, &e);
	assert_true(e.shift == 2 && e.df == 2);
	assert_near(e.se, sqrt(4.0 / 3), 1e-12);
	/* A known variance of 4 with 2 degrees joins in: (2 · 1 + 2 · 16 + 2 · 4) / 6. */
	known = (struct known_variance){4, 2};
	welch(a, 3, b, 3, &known, &e);
	assert_near(e.se, sqrt(7 * 2.0 / 3), 1e-12);
	assert_true(e.df == 6);
	known.df = INFINITY;
	welch(a, 1, b, 1, &known, &e);
	assert_near(e.se, sqrt(8), 1e-12);
}

static void fill_rows(struct random *r, double rows[21][12], const double **at)
{
	for (size_t i = 0; i < 21; i++) {
		for (size_t k = 0; k < 12; k++)
			rows[i][k] = 50 + draw_normal(r);
		at[i] = rows[i];
	}
}

static void test_one_row_of_twenty_is_found(void **state)
{
	struct random r = random_of(23);
	double rows[21][12], p[21], swapped[21][12], again[21];
	const double *at[21], *back[21];
	size_t others = 0;

	(void)state;
	fill_rows(&r, rows, at);
	for (size_t k = 4; k < 8; k++)
		rows[7][k] += 20;
	for (size_t k = 0; k < 8; k++)
		rows[3][k] = 5;
	rows[9][2] = NAN;
	for (size_t i = 0; i < 21; i++) {
		for (size_t k = 0; k < 8; k++)
			swapped[i][k] = rows[i][(k + 4) % 8];
		back[i] = swapped[i];
	}
	max_t(at, 21, 4, 4, 1, p);
	max_t(back, 21, 4, 4, 1, again);
	assert_near(p[7], 2.0 / 70, 1e-12);
	assert_true(p[3] == 1 && isnan(p[9]));
	for (size_t i = 0; i < 21; i++) {
		others += i != 7 && p[i] <= 0.05;
		assert_true(i == 9 || p[i] == again[i]);
	}
	assert_int_equal(others, 0);
}

/* A family of one row is a plain permutation test. */
static void test_one_row_alone_is_a_permutation(void **state)
{
	struct random r = random_of(29);
	double rows[21][12], p;
	const double *at[21];
	struct estimate e;

	(void)state;
	fill_rows(&r, rows, at);
	for (size_t i = 0; i < 21; i++) {
		max_t(&at[i], 1, 4, 5, 1, &p);
		permutation_shift(rows[i], 4, rows[i] + 4, 5, 1, &e);
		assert_near(p, e.p, 1e-12);
	}
	max_t(at, 0, 4, 4, 1, &p);
	max_t(at, 1, 0, 4, 1, &p);
	assert_true(p == 1);
}

/* Rows without a change: one of a whole table is called changed in 5 % of tables at most. */
static void test_tables_without_change_stay_so(void **state)
{
	struct random r = random_of(31);
	const size_t tables = repeats(400);
	size_t called = 0;

	(void)state;
	for (size_t i = 0; i < tables; i++) {
		double rows[21][12], p[21], least = 1;
		const double *at[21];

		fill_rows(&r, rows, at);
		max_t(at, 21, 5, 5, 1, p);
		for (size_t k = 0; k < 21; k++)
			least = fmin(least, p[k]);
		called += least <= 0.05;
	}
	assert_true((double)called <= 0.05 * (double)tables + 2 * sqrt(0.05 * (double)tables));
}

/* What pairs share, far more than they differ by, is no noise; and signs may be turned. */
static void test_one_row_of_pairs_is_found(void **state)
{
	struct random r = random_of(43);
	double rows[21][12], turned[21][12], p[21], again[21];
	const double *at[21], *back[21];

	(void)state;
	fill_rows(&r, rows, at);
	for (size_t i = 0; i < 21; i++) {
		for (size_t k = 0; k < 12; k++) {
			rows[i][k] = i == 3 ? 0 : rows[i][k] - 50 + (i == 7 ? 20 : 0);
			turned[i][k] = -rows[i][k];
		}
		back[i] = turned[i];
	}
	rows[9][2] = turned[9][2] = NAN;
	for (size_t n = 6; n <= 12; n += 2) {
		max_t_pairs(at, 21, n, 1, p);
		max_t_pairs(back, 21, n, 1, again);
		assert_true(p[3] == 1 && isnan(p[9]));
		if (n <= 10)
			assert_near(p[7], 2 / exp2((double)n), 1e-12);
		for (size_t i = 0; i < 21; i++)
			assert_true(i == 9 || (p[i] == again[i] && (i == 7) == (p[i] <= 0.05)));
	}
}

/* A family of one row of pairs is a permutation of their signs. */
static void test_one_row_of_pairs_is_a_permutation(void **state)
{
	struct random r = random_of(47);
	double rows[21][12], p;
	const double *at[21];
	struct estimate e;

	(void)state;
	fill_rows(&r, rows, at);
	for (size_t i = 0; i < 21; i++) {
		for (size_t k = 0; k < 12; k++)
			rows[i][k] -= 49.5;
		max_t_pairs(&at[i], 1, 9, 1, &p);
		permutation_pairs(rows[i], 9, 1, &e);
		assert_near(p, e.p, 1e-12);
	}
	max_t_pairs(at, 0, 6, 1, &p);
	max_t_pairs(at, 1, 0, 1, &p);
	assert_true(p == 1);
}

static void test_warm_up_is_cut(void **state)
{
	struct random r = random_of(37);
	double steps[200];
	size_t cut;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		steps[i] = 100 + draw_normal(&r) + (i < 20 ? 100 - 4 * (double)i : 0);
	assert_true(warm_up_find(steps, 200, &cut));
	assert_in_range(cut, 15, 60);
	for (size_t i = 0; i < 200; i++)
		steps[i] = i < 120 ? 300 - (double)i : 180;
	assert_false(warm_up_find(steps, 200, &cut));
	assert_true(warm_up_find(steps, 19, &cut) && cut == 0);
	for (size_t i = 0; i < 200; i++)
		steps[i] = 5;
	assert_true(warm_up_find(steps, 200, &cut) && cut == 0);
}

/* Noise of steps is no spread of runs; what runs have of their own is. */
static void test_spread_of_runs_leaves_out_steps(void **state)
{
	struct random r = random_of(41);
	double steps[40][60];
	struct run_steps runs[40];
	struct run_spread s;

	(void)state;
	for (int own = 0; own < 2; own++) {
		for (size_t i = 0; i < 40; i++) {
			const double level = 1 + own * 0.02 * draw_normal(&r);

			for (size_t k = 0; k < 60; k++)
				steps[i][k] = level * (100 + 5 * draw_normal(&r));
			runs[i] = (struct run_steps){steps[i], 60};
		}
		s = run_spread_of(runs, 40);
		assert_int_equal(s.runs, 40);
		assert_true(s.of_means > s.sd && s.of_means > 0.004);
		assert_true(own ? s.sd > 0.014 && s.sd < 0.026 : s.sd < 0.005);
	}
	assert_true(isnan(run_spread_of(runs, 1).sd) && isnan(run_spread_of(runs, 1).of_means));
}

static void test_driving_steps_are_counted(void **state)
{
	const double before[] = {10, 10, 10, 10, 10, 10}, after[] = {9, 9, 9, 9, 20, 30};
	const double short_ones[] = {1, 10, 10, 10};

	(void)state;
	assert_int_equal(driving_steps(before, 6, after, 6, 1), 2);
	assert_int_equal(driving_steps(short_ones, 4, before, 6, 1), 1);
	assert_int_equal(driving_steps(before, 1, after, 1, 1), 0);
	/* What the usual step has of it is not what they make. */
	assert_int_equal(driving_steps(before, 6, after, 6, 1.12), 1);
}

int statistics_tests(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_math_is_that_of_libm),
		cmocka_unit_test(test_draws_are_even_and_repeat),
		cmocka_unit_test(test_quantiles_are_those_of_tables),
		cmocka_unit_test(test_student_is_the_integral_of_its_density),
		cmocka_unit_test(test_bootstrap_is_what_drawing_gives),
		cmocka_unit_test(test_effective_steps_are_found),
		cmocka_unit_test(test_steps_without_a_mean_have_no_error),
		cmocka_unit_test(test_periods_are_found),
		cmocka_unit_test(test_bounds_are_where_permutations_reject),
		cmocka_unit_test(test_least_p_is_known),
		cmocka_unit_test(test_ways_come_in_twos),
		cmocka_unit_test(test_drawn_permutations_agree),
		cmocka_unit_test(test_shift_is_the_median_of_all_differences),
		cmocka_unit_test(test_shift_of_many_is_near),
		cmocka_unit_test(test_welch_is_worked_by_hand),
		cmocka_unit_test(test_one_row_of_twenty_is_found),
		cmocka_unit_test(test_one_row_alone_is_a_permutation),
		cmocka_unit_test(test_tables_without_change_stay_so),
		cmocka_unit_test(test_one_row_of_pairs_is_found),
		cmocka_unit_test(test_one_row_of_pairs_is_a_permutation),
		cmocka_unit_test(test_warm_up_is_cut),
		cmocka_unit_test(test_spread_of_runs_leaves_out_steps),
		cmocka_unit_test(test_driving_steps_are_counted),
	};

	return cmocka_run_group_tests_name("statistics", tests, NULL, NULL);
}
