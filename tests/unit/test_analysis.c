/* The arithmetic of analyses: exact aggregates, windows, shapes. */
#include "analysis/shape.h"
#include "analysis/summary.h"
#include "analysis/window.h"

#include "base/mem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

static void test_quantile_interpolates_at_q_times_n_minus_1(void **state)
{
	const int64_t v[] = {10, 20, 30, 40};

	(void)state;
	assert_near(quantile(v, 4, 0.5), 25);
	assert_near(quantile(v, 4, 0.9), 37);
	assert_near(quantile(v, 4, 0), 10);
	assert_near(quantile(v, 4, 1), 40);
	assert_near(quantile(v, 1, 0.99), 10);
}

static void test_summary_of_groups(void **state)
{
	const int64_t values[] = {7, 1, 5, 100, 3, 9};
	const uint32_t group[] = {0, 0, 0, GROUP_NONE, 2, 2};
	struct summary s[3];

	(void)state;
	summarize(values, group, 6, 3, s);
	assert_int_equal(s[0].count, 3);
	assert_int_equal(s[0].total, 13);
	assert_int_equal(s[0].min, 1);
	assert_int_equal(s[0].max, 7);
	assert_near(s[0].mean, 13.0 / 3);
	assert_near(s[0].p50, 5);
	assert_near(s[0].stddev, sqrt(28.0 / 3));
	assert_int_equal(s[1].count, 0);
	assert_int_equal(s[2].count, 2);
	assert_near(s[2].p50, 6);
	assert_near(s[2].stddev, sqrt(18));
}

static void test_deviation_of_large_close_values_is_exact(void **state)
{
	/* Squares of these lose all their digits in a double; deviations do not. */
	const int64_t values[] = {1000000000000000001, 1000000000000000002, 1000000000000000003};
	const uint32_t group[] = {0, 0, 0};
	struct summary s;

	(void)state;
	summarize(values, group, 3, 1, &s);
	assert_near(s.stddev, 1);
	assert_int_equal(s.total, 3000000000000000006);
}

static void test_extreme_values_saturate(void **state)
{
	const int64_t values[] = {INT64_MAX, INT64_MAX, INT64_MIN};
	const uint32_t group[] = {0, 0, 1};
	struct summary s[2];

	(void)state;
	summarize(values, group, 3, 2, s);
	assert_int_equal(s[0].total, INT64_MAX);
	assert_int_equal(s[1].total, INT64_MIN);
	assert_near(s[0].stddev, 0);
}

static void test_single_value_has_no_deviation(void **state)
{
	const int64_t value = 42;
	const uint32_t group = 0;
	struct summary s;

	(void)state;
	summarize(&value, &group, 1, 1, &s);
	assert_near(s.stddev, 0);
	assert_near(s.p99, 42);
}

static void test_many_values_against_sorting(void **state)
{
	enum { N = 10000, GROUPS = 7 };
	int64_t *values = mem_alloc(N, sizeof(*values));
	uint32_t *group = mem_alloc(N, sizeof(*group));
	struct summary s[GROUPS];
	int64_t total = 0;
	uint64_t count = 0, x = 1;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		x = x * 6364136223846793005u + 1442695040888963407u;
		values[i] = (int64_t)(x >> 40);
		group[i] = (uint32_t)(x >> 33) % GROUPS;
		total += values[i];
	}
	summarize(values, group, N, GROUPS, s);
	for (size_t g = 0; g < GROUPS; g++) {
		total -= s[g].total;
		count += s[g].count;
		assert_true(s[g].min <= s[g].p50 && s[g].p50 <= s[g].p90);
		assert_true(s[g].p90 <= s[g].p99 && s[g].p99 <= s[g].max);
	}
	assert_int_equal(total, 0);
	assert_int_equal(count, N);
	free(values);
	free(group);
}

static void test_windows_clip(void **state)
{
	const struct params p = {.has_trim = true, .from_ns = 100, .to_ns = 200}, all = {0};
	int64_t inside;

	(void)state;
	assert_true(window_clip(&p, 120, 30, &inside));
	assert_int_equal(inside, 30);
	assert_true(window_clip(&p, 50, 100, &inside));
	assert_int_equal(inside, 50);
	assert_true(window_clip(&p, 150, 500, &inside));
	assert_int_equal(inside, 50);
	assert_true(window_clip(&p, 0, 1000, &inside));
	assert_int_equal(inside, 100);
	assert_false(window_clip(&p, 0, 100, &inside));
	assert_false(window_clip(&p, 200, 10, &inside));
	assert_true(window_clip(&p, 100, 0, &inside));
	assert_false(window_clip(&p, 200, 0, &inside));
	assert_false(window_clip(&p, 99, 0, &inside));
	assert_true(window_clip(&all, -5, 7, &inside));
	assert_int_equal(inside, 7);
	assert_true(window_clip(&p, 150, INT64_MAX, &inside));
	assert_int_equal(inside, 50);
}

static void test_shapes_are_padded_like_nvidias(void **state)
{
	uint32_t x[] = {264}, y[] = {2}, z[] = {4294967294};
	uint32_t *const dimensions[3] = {x, y, z};
	char out[SHAPE_BYTES];

	(void)state;
	assert_string_equal(shape_text(dimensions, 0, out).s, " 264    2 4294967294");
}

static void test_parts_of_a_window(void **state)
{
	const struct params p = {.has_trim = true, .from_ns = 10, .to_ns = 20};
	struct span s;

	(void)state;
	assert_true(window_part(&p, 5, 10, &s));
	assert_int_equal(s.start_ns, 10);
	assert_int_equal(s.end_ns, 15);
	assert_true(window_part(&p, 12, 100, &s));
	assert_int_equal(s.start_ns, 12);
	assert_int_equal(s.end_ns, 20);
	assert_true(window_part(&p, 12, -5, &s));
	assert_int_equal(s.end_ns, 12);
	assert_false(window_part(&p, 20, 5, &s));
	assert_false(window_part(&p, 0, 10, &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantile_interpolates_at_q_times_n_minus_1),
		cmocka_unit_test(test_summary_of_groups),
		cmocka_unit_test(test_deviation_of_large_close_values_is_exact),
		cmocka_unit_test(test_extreme_values_saturate),
		cmocka_unit_test(test_single_value_has_no_deviation),
		cmocka_unit_test(test_many_values_against_sorting),
		cmocka_unit_test(test_windows_clip),
		cmocka_unit_test(test_shapes_are_padded_like_nvidias),
		cmocka_unit_test(test_parts_of_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
